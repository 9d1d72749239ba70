"""SMK009: the framework crashed while it ran."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK009", name="framework-run-crashed", severity="error", since="0.1")
def framework_run_crashed(failed: Failed) -> Said:
    """The framework crashed while it ran.

    What it means:
    The framework could be imported. In a later step the operating system ended its process.

    Why it breaks:
    A compiled part does something that is not allowed: libraries of different releases are mixed, an extension was
    built for another version, or the driver or the hardware has a fault.

    How to fix it:
    Mend what this finding is listed under, where there is one. Else try the framework in a new environment, and
    look at the kernel log for lines of the driver.

    When to ignore it:
    Never.

    Sources:
    https://docs.python.org/3/library/faulthandler.html
    """
    return (
        f"{failed.who} crashed in the step {failed.stage}{_signal(failed)}."
        if not failed.first.pasted
        else "Compiled code in the program crashed.",
        (
            do(
                "See where it crashes",
                "Run your program with: python -X faulthandler your_program.py",
                "Look for lines of the driver: sudo dmesg | grep -i -E 'xid|nvrm'",
            ),
        ),
    )


def _signal(failed: Failed) -> str:
    run = failed.first.run
    return f" ({run.signal})" if run is not None and run.signal else ""
