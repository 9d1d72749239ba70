"""SMK099: a live test failed for an unknown reason."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK099", name="smoke-failed", severity="error", since="0.1")
def smoke_failed(failed: Failed) -> Said:
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
    return (
        f"{failed.who} failed in the step {failed.stage}: {failed.first.text}",
        (
            do(
                "Search for the message",
                "Search the framework's issues for the last line of the error.",
                "gpudoctor smoke --verbose shows everything it printed.",
            ),
        ),
    )
