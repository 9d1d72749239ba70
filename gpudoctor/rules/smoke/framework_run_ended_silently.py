"""SMK006: the framework's process ended without any message."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK006", name="framework-run-ended-silently", severity="error", since="0.1")
def framework_run_ended_silently(failed: Failed) -> Said:
    """The framework's process ended without any message.

    What it means:
    gpudoctor ran the framework in a process of its own. The process ended before it was done, with no error and no
    signal.

    Why it breaks:
    Something in it calls the operating system's exit function: a licence check, a wrapper, a start-up file
    (sitecustomize), or a library that gives up without a message.

    How to fix it:
    Run the same step yourself and look at the exit code. Look for start-up files of the environment that end the
    program.

    When to ignore it:
    Never: what was not run is not proved.

    Sources:
    https://docs.python.org/3/library/os.html#os._exit
    """
    return (
        f"{failed.who} ended without any message in the step {failed.stage}{_code(failed)}.",
        (
            do(
                "Find out what ends the program",
                f'Run: python -v -c "import {failed.name}" 2>&1 | tail, and look at the last file it names.',
                "Look into sitecustomize.py and usercustomize.py of this Python, where there are any.",
            ),
        ),
    )


def _code(failed: Failed) -> str:
    run = failed.first.run
    return f" (exit code {run.code})" if run is not None and run.code is not None else ""
