"""`gpudoctor fix`: the fixes of all findings as one plan, printed or as a script."""

from functools import partial

import click

from gpudoctor.cli.option_values import format_option, index_options
from gpudoctor.host.background import Aside


@click.command("fix")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
@click.option("--from", "source", metavar="FILE", help="Plan for a saved snapshot instead of this machine; - is stdin.")
@click.option("--only", multiple=True, metavar="CODES", help="Only these findings: codes or names, by comma.")
@click.option("--script", metavar="FILE", help="Write the plan as a script to read and run; - is standard output.")
@format_option("fix")
@click.option("--verify", is_flag=True, help="Ask pip or uv, by its dry run, about each command that installs.")
@click.option("--apply", "do_apply", is_flag=True, help="Carry out what concerns this environment; then check again.")
@index_options
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--require", multiple=True, metavar="WHAT", help="Demand gpu, torch>=2.6, 'driver>=570' …; repeatable.")
def command(
    python: str | None,
    source: str | None,
    only: tuple[str, ...],
    script: str | None,
    form: str,
    verify: bool,
    do_apply: bool,
    index_url: str | None,
    torch_index: str | None,
    yes: bool,
    require: tuple[str, ...],
) -> None:
    """Show how to fix what is wrong with this machine: each change once, in order.

    Without --apply nothing is changed; --verify asks the package index whether each command would work. With --apply,
    changes of your own environment (pip, uv, conda) are verified, made on a copy, proved, and switched to;
    `gpudoctor undo` takes them back. What needs an administrator is never run.

    The exit code is that of check --static: 0 nothing wrong, 1 something needs fixing, 3 could not examine. With
    --apply it is that of check, which also runs the frameworks, or 5 fixed but not proved, 6 refused: nothing was
    changed, 7 failed: everything is as it was.
    """
    if source is not None and python is not None:
        raise click.UsageError("--python names an interpreter of this machine, and --from plans for another one.")
    if do_apply and source is not None:
        raise click.UsageError("--from is another machine's snapshot, and --apply changes this one.")
    if verify and source is not None:
        raise click.UsageError("--from is another machine's snapshot, and --verify asks the installer of this one.")
    if do_apply and script is not None:
        raise click.UsageError("--script writes the plan down, and --apply carries it out. Leave one out.")
    if script == "-" and form == "json":
        raise click.UsageError("--script - and --format json both want standard output. Name a file.")
    # Imported here: --help needs nothing of it.
    from gpudoctor.plan.indexes import Indexes

    indexes = Indexes(main=index_url, torch=torch_index)
    if do_apply:
        from gpudoctor.cli.fixing import apply

        raise click.exceptions.Exit(apply(python, only, require, indexes, yes=yes, as_json=form == "json"))
    from gpudoctor.examine.look import begin_to_examine, read_snapshot

    finish = begin_to_examine(python) if source is None else partial(read_snapshot, source)
    from gpudoctor.cli.fix_plan import codes_of, show_plan, with_plan
    from gpudoctor.examine.judging import criteria_of, judge
    from gpudoctor.facts.plan import Plan

    criteria = criteria_of((), (), require, None)
    codes = codes_of(only, criteria)
    report = with_plan(judge(Aside(finish).result(), criteria), codes, indexes)
    if source is None:
        from gpudoctor.install.repeated_fixes import without_tried

        report = without_tried(report)
    show_plan(report, form, script)
    if source is None and form == "terminal" and script != "-":
        click.echo(
            "Judged as by check --static: no framework was run. `gpudoctor check` and `fix --apply` run them.", err=True
        )
    if verify:
        from gpudoctor.install.verifying import say_verified

        say_verified(report.plan or Plan())
    raise click.exceptions.Exit(report.exit_code)
