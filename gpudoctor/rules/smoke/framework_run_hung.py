"""SMK010: the framework hung during a step."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK010", name="framework-run-hung", severity="error", since="0.1")
def framework_run_hung(failed: Failed) -> Said:
    """The framework hung during a step.

    What it means:
    gpudoctor ran the framework in a process of its own and stopped it after a long wait.

    Why it breaks:
    The driver or the GPU does not answer, several GPUs wait for one another, the driver compiles for a GPU that the
    package has no code for, or the machine is very busy.

    How to fix it:
    Mend what this finding is listed under, where there is one. Run the step again when the machine is idle, with a
    longer --timeout.

    When to ignore it:
    If the machine was busy, and the step ends when it is idle.

    Sources:
    https://docs.nvidia.com/deploy/xid-errors/index.html
    """
    return (
        f"{failed.who} did not finish the step {failed.stage} within {_seconds(failed)}.",
        (do("Try again when the machine is idle", "gpudoctor smoke --timeout 600"),),
    )


def _seconds(failed: Failed) -> str:
    run = failed.first.run
    return f"{run.seconds:.0f} s" if run is not None and run.seconds else "its time"
