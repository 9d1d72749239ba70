"""SMK006 framework-run-ended-silently."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.rules.declare import rule
from gpudoctor.rules.live_problem import Failed, do, problems


@rule("SMK006", name="framework-run-ended-silently", severity="error", since="0.1", when="failure")
def framework_run_ended_silently(live: Live) -> Iterator[Problem]:
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
    yield from problems(
        live,
        "framework-run-ended-silently",
        lambda failed: f"{failed.who} ended without any message in the step {failed.stage}{_code(failed)}.",
        fixes=lambda failed: (
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
