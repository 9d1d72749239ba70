"""SMK005 framework-import-failed."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.facts.scene import Scene
from gpudoctor.rules._failing_package import fixes_of
from gpudoctor.rules.declare import rule
from gpudoctor.rules.live_problem import problems


@rule("SMK005", name="framework-import-failed", severity="error", since="0.1", when="failure")
def framework_import_failed(live: Live, scene: Scene) -> Iterator[Problem]:
    """The framework cannot be imported.

    What it means:
    gpudoctor imported the framework as your program does, and Python raised an error.

    Why it breaks:
    A package that it needs is missing, is of a version that it does not know, is only partly installed, or is
    hidden by a file of the same name.

    How to fix it:
    Mend what this finding is listed under, where there is one. Else install the package that the last line of the
    error names, or install the framework anew.

    When to ignore it:
    If you do not use this framework.

    Sources:
    https://docs.python.org/3/library/exceptions.html#ImportError
    """
    yield from problems(
        live,
        "framework-import-failed",
        lambda failed: (
            f"{failed.who} cannot be imported: {failed.first.text}"
            if not failed.first.pasted
            else f"{failed.meaning or 'A package does not match the others.'}"
        ),
        fixes=lambda failed: fixes_of(failed, scene),
    )
