"""`gpudoctor fix`: the fixes of all findings as one plan, printed or as a script."""

from functools import partial

import click

from gpudoctor.host.aside import Aside


@click.command("fix")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
@click.option("--from", "source", metavar="FILE", help="Plan for a saved snapshot instead of this machine; - is stdin.")
@click.option("--only", multiple=True, metavar="CODES", help="Only these findings: codes or names, by comma.")
@click.option("--script", metavar="FILE", help="Write the plan as a script to read and run; - is standard output.")
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True)
@click.option("--require", multiple=True, metavar="WHAT", help="Demand gpu, torch>=2.6, 'driver>=570' …; repeatable.")
def command(
    python: str | None,
    source: str | None,
    only: tuple[str, ...],
    script: str | None,
    form: str,
    require: tuple[str, ...],
) -> None:
    """Say how to mend what is wrong with this machine: every change once, in the order to make it.

    Nothing is changed. The exit code is that of check: 0 nothing wrong, 1 there is something to mend, 3 could not
    examine.
    """
    if source is not None and python is not None:
        raise click.UsageError("--python names an interpreter of this machine, and --from plans for another one.")
    if script == "-" and form == "json":
        raise click.UsageError("--script - and --format json both want standard output. Name a file.")
    from gpudoctor.cli.examine import begin_to_examine, read_snapshot

    finish = begin_to_examine(python) if source is None else partial(read_snapshot, source)
    look = Aside(finish)
    from gpudoctor.cli.judging import criteria_of, judge
    from gpudoctor.cli.mending import codes_of, show_plan, with_plan

    criteria = criteria_of((), (), require, None)
    codes = codes_of(only, criteria)
    report = with_plan(judge(look.result(), criteria), codes)
    show_plan(report, form, script)
    raise click.exceptions.Exit(report.exit_code)
