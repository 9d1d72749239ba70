"""The command `gpudoctor check`: examines this machine and reports findings."""

from functools import partial
from typing import TYPE_CHECKING

import click

from gpudoctor.cli.option_values import format_option
from gpudoctor.errors import Partial
from gpudoctor.host.background import Aside

if TYPE_CHECKING:
    from gpudoctor.facts.finding import Severity


@click.command("check")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
@click.option("--static", is_flag=True, help="Run nothing of the examined environment.")
@click.option("--from", "source", metavar="FILE", help="Judge a saved snapshot instead of this machine; - reads stdin.")
@click.option(
    "--dockerfile",
    "dockerfiles",
    multiple=True,
    metavar="FILE",
    help="Check a Dockerfile or Compose file instead: GPU mistakes, with their lines; repeatable.",
)
@format_option("check")
@click.option("--select", multiple=True, metavar="CODES", help="Only these rules: codes, families or names, by comma.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Not these rules.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    help="Exit with 1 from this severity on.  [default: error]",
)
@click.option("--require", multiple=True, metavar="WHAT", help="Demand gpu, torch>=2.6, 'driver>=570' …; repeatable.")
@click.option("-v", "--verbose", is_flag=True, help="Also sources, consequences in full, rules that could not judge.")
@click.option("-q", "--quiet", is_flag=True, help="Only the verdict and its causes.")
def command(
    python: str | None,
    static: bool,
    source: str | None,
    dockerfiles: tuple[str, ...],
    form: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: "Severity | None",
    require: tuple[str, ...],
    verbose: bool,
    quiet: bool,
) -> None:
    """Check this machine and say why the GPU is not used.

    Then list the devices that each installed framework sees, and train a small network with it, to prove the verdict;
    --static leaves that out.

    --dockerfile looks at files instead, for any machine with an NVIDIA GPU, or for the one of --from.

    The exit code is the verdict: 0 healthy or no GPU needed, 1 findings, 3 could not examine.
    """
    if dockerfiles:
        # Imported here: this looks at no machine.
        from gpudoctor.cli.check_files import check_files

        others = {"--python": python, "--select": select, "--ignore": ignore, "--require": require}
        raise click.exceptions.Exit(check_files(dockerfiles, source, form, fail_on, others))
    if source is not None and python is not None:
        raise click.UsageError("--python names an interpreter of this machine, and --from judges another one's facts.")
    from gpudoctor.examine.look import begin_to_examine, read_snapshot

    finish = begin_to_examine(python) if source is None else partial(read_snapshot, source)
    # What judges is read from disk while other processes look. The rest of the look is in a thread, so that Ctrl-C
    # ends it whatever it is held by; two threads that compute would only take turns.
    from gpudoctor.cli.show import show, show_age
    from gpudoctor.examine.judging import criteria_of, judge

    criteria = criteria_of(select, ignore, require, fail_on)
    snapshot, complete = Aside(finish).result(), True
    if source is None and not static:
        from gpudoctor.examine.look import run_frameworks

        snapshot, complete = run_frameworks(snapshot, quiet=quiet)
    report = judge(snapshot, criteria)
    show("check", report, form, 1 if verbose else -1 if quiet else 0)
    if verbose and form == "terminal":
        show_age(report.matrix_edition)
    if not complete:
        raise Partial
    raise click.exceptions.Exit(report.exit_code)
