"""SMK025: a compiled package was built for a different NumPy version."""

from gpudoctor.plan.places import install, safety
from gpudoctor.rules._failing_package import wanted_by_others
from gpudoctor.rules.live_problem import Failed, Said, failure_rule
from gpudoctor.rules.sections import Scene
from gpudoctor.rules.terms import Fix


@failure_rule("SMK025", name="numpy-abi", severity="error")
def numpy_abi(failed: Failed, scene: Scene) -> Said:
    """A compiled package was built for a different NumPy version.

    What it means:
    NumPy 2 changed the interface that compiled packages use. One that was compiled for NumPy 1 does not work with
    it, and one compiled for a newer NumPy does not work with an older one.

    Why it breaks:
    The installer chose the newest NumPy, and the package set no upper limit; or a second NumPy, of the user's home
    folder, is imported first.

    How to fix it:
    Install a NumPy of the release that the package was built for, or a newer release of the package.

    When to ignore it:
    If the message names a package that your program does not use.

    Sources:
    https://numpy.org/doc/stable/numpy_2_0_migration_guide.html
    """
    return (f"{failed.whose} was compiled for a different NumPy.", _fixes(failed, scene))


def _fixes(failed: Failed, scene: Scene) -> tuple[Fix, ...]:
    asked = wanted_by_others("numpy", scene)
    if asked is not None:
        return (asked,)
    older = any(one.signature == "numpy-api-newer" for one in failed.symptoms)
    numpy = scene.find("numpy")
    if older:
        steps = install(scene, "numpy", options=("--upgrade",))
        return (Fix("Install a newer NumPy", safety(scene), steps),)
    return (
        Fix(
            "Install NumPy 1",
            safety(scene),
            install(scene, "numpy<2"),
            undo=f"install numpy=={numpy.version}" if numpy else None,
        ),
    )
