"""SMK027: a shared library could not be loaded."""

from gpudoctor.plan.recipes import reinstall
from gpudoctor.rules._failing_package import broken_package, package_of
from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.sections import Scene
from gpudoctor.rules.terms import Fix, by_hand


@failure_rule("SMK027", name="library-not-loaded", severity="error")
def library_not_loaded(failed: Failed, scene: Scene) -> Said:
    """A shared library could not be loaded.

    What it means:
    The framework, or an extension, asked for a library that is not found, is damaged, or lacks a function that it
    should have.

    Why it breaks:
    The package that brings the library is not installed or is damaged, or another release of it is found first.

    How to fix it:
    Mend what this finding is listed under, where there is one. Else install the package that owns the library anew.

    When to ignore it:
    If the message names an extension that your program does not use.

    Sources:
    https://man7.org/linux/man-pages/man8/ld.so.8.html
    """
    return (f"{failed.whose} cannot load a library that it needs: {failed.first.text}", _fixes(failed, scene))


def _fixes(failed: Failed, scene: Scene) -> tuple[Fix, ...]:
    """The package in whose files the import ended was not whole; CUDA's libraries come from many places."""
    package = broken_package(failed.first, scene)
    if package is not None and package != package_of(failed.name or "", scene):
        return (reinstall(scene, (package,), f"Reinstall {package}"),)
    if scene.os == "windows":
        return (by_hand("See where it comes from", 'pip list | findstr /i "nvidia torch tensorflow jax"'),)
    where = by_hand(
        "See where it comes from", "pip list | grep -i -E 'nvidia|torch|tensorflow|jax'", 'echo "$LD_LIBRARY_PATH"'
    )
    return (where,)
