"""SMK005: the framework cannot be imported."""

from gpudoctor.rules._failing_package import fixes_of
from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.sections import Scene


@failure_rule("SMK005", name="framework-import-failed", severity="error")
def framework_import_failed(failed: Failed, scene: Scene) -> Said:
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
    return (
        f"{failed.who} cannot be imported: {failed.first.text}"
        if not failed.first.pasted
        else f"{failed.meaning or 'A package does not match the others.'}",
        fixes_of(failed, scene),
    )
