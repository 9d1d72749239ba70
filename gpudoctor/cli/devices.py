"""The command `gpudoctor devices`: which devices each framework lists."""

import click

from gpudoctor.cli.option_values import format_option


@click.command("devices")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
@click.option("--timeout", type=float, metavar="S", help="Seconds for each framework.  [default: 180]")
@format_option("devices")
@click.option("-v", "--verbose", is_flag=True, help="Also everything else that the frameworks say of themselves.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(python: str | None, timeout: float | None, form: str, verbose: bool, quiet: bool) -> None:
    """List the devices that NVML, the CUDA driver and each framework see, and why they differ.

    The exit code is 1 where a GPU is hidden from a framework, or a framework could not tell.
    """
    from gpudoctor.cli.option_values import seconds_of
    from gpudoctor.errors import CannotExamine
    from gpudoctor.examine.look import begin_to_examine, run_frameworks

    deadline = seconds_of(timeout)
    snapshot, complete = run_frameworks(begin_to_examine(python)(), tasks=("devices",), deadline=deadline, quiet=quiet)
    from gpudoctor.cli.show import show
    from gpudoctor.diagnosis.cross_view import cross_view
    from gpudoctor.errors import Partial
    from gpudoctor.examine.judging import criteria_of, judge
    from gpudoctor.facts.base import Gap
    from gpudoctor.facts.live import Live

    report = judge(snapshot, criteria_of((), (), (), None))
    snapshot = report.snapshot
    view = cross_view(snapshot, report.diagnosis.findings)
    live = snapshot.live if isinstance(snapshot.live, Live) else Live()
    differs = any(sight.state != "seen" and sight.why for row in view.rows for sight in row.sights)
    unfinished = any(one.run is not None and one.run.ending != "finished" for one in live.devices)
    show("devices", report, form, 1 if verbose else 0)
    if not complete:
        raise Partial
    if isinstance(snapshot.live, Gap):
        raise CannotExamine(snapshot.live.reason)
    raise click.exceptions.Exit(1 if differs or unfinished else 0)
