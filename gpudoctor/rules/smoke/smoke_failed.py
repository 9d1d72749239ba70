"""SMK099 smoke-failed."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.rules.declare import rule
from gpudoctor.rules.live_problem import do, problems


@rule("SMK099", name="smoke-failed", severity="error", since="0.1", when="failure")
def smoke_failed(live: Live) -> Iterator[Problem]:
    """A live test failed for an unknown reason.

    What it means:
    gpudoctor ran the framework, and a step failed with an error that none of its rules knows. What the framework
    said is below.

    Why it breaks:
    This is not known. A finding that this one is listed under may be the cause.

    How to fix it:
    Search for the message below. If you find out, tell gpudoctor's authors, so that it knows next time.

    When to ignore it:
    If you do not use what failed.

    Sources:
    https://docs.python.org/3/tutorial/errors.html
    """
    yield from problems(
        live,
        "smoke-failed",
        lambda failed: f"{failed.who} failed in the step {failed.stage}: {failed.first.text}",
        fixes=lambda _: (
            do(
                "Search for the message",
                "Search the framework's issues for the last line of the error.",
                "gpudoctor smoke --verbose shows everything it printed.",
            ),
        ),
    )
