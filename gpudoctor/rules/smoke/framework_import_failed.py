"""SMK005: the framework cannot be imported."""

from gpudoctor.rules._failing_package import fixes_of
from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.sections import Scene


@failure_rule("SMK005", name="framework-import-failed", severity="error")
def framework_import_failed(failed: Failed, scene: Scene) -> Said:
    """The framework cannot be imported."""
    return (
        f"{failed.who} cannot be imported: {failed.first.text}"
        if not failed.first.pasted
        else f"{failed.meaning or 'A package does not match the others.'}",
        fixes_of(failed, scene),
    )
