"""TLK006: a package needs torch at build time, but the installer builds it in isolation from torch."""

from gpudoctor.plan.places import install, safety
from gpudoctor.rules._toolkit_taken import COMPILED_AT_INSTALL
from gpudoctor.rules.failures import failures_of, pasted
from gpudoctor.rules.live_problem import Failed, problems
from gpudoctor.rules.sections import Gap, Live, Packages, Scene, Wish
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen

_SUMMARY = "A package is built in isolation from the torch it needs"


@rule(
    "TLK006", name="ext-build-isolation", severity="error", when="failure or live.symptoms.signature=module-not-found"
)
def ext_build_isolation(live: Live, wish: Wish, scene: Scene) -> Iterator[Problem]:
    """A package needs torch at build time, but the installer builds it in isolation from torch.

    What it means:
    pip and uv build a package in an empty environment of its own. A package whose build imports torch without saying
    so in its metadata does not find it there: "No module named 'torch'", although torch is installed.

    Why it breaks:
    The package (flash-attn, apex, deepspeed and others) does not name torch among what its build requires.

    How to fix it:
    Install torch first, then the package with --no-build-isolation. With uv in a project, name it under
    no-build-isolation-package.

    When to ignore it:
    If a ready-made wheel of the package fits your Python, torch and CUDA: install that.

    Sources:
    https://pip.pypa.io/en/stable/reference/build-system/#disabling-build-isolation
    https://docs.astral.sh/uv/concepts/projects/config/#build-isolation
    """
    yield from problems(live, "ext-build-isolation", lambda failed: (_SUMMARY, _fixes(failed, scene)))
    if not failures_of(live, "ext-build-isolation"):
        yield from _of_wanted(live, scene.packages, wish, scene)


def _of_wanted(live: Live, packages: Packages | Gap | None, wish: Wish, scene: Scene) -> Iterator[Problem]:
    """PyTorch is installed and was not found, and a package that is built with it is wanted."""
    torch = packages.find("torch") if isinstance(packages, Packages) else None
    said = next((one for one in pasted(live) if one.signature == "module-not-found" and "'torch'" in one.text), None)
    wanted = next((name for name in COMPILED_AT_INSTALL if wish.of(name)), None)
    if torch is None or said is None or wanted is None or (isinstance(packages, Packages) and packages.find(wanted)):
        return
    steps = install(scene, wanted, options=("--no-build-isolation",))
    yield problem(
        f"{wanted} is built in isolation from the installed torch, which it needs.",
        seen(said.where or "the message", said.text),
        seen("torch", torch.version),
        subject=wanted,
        fix=Fix(f"Build {wanted} beside the installed torch", safety(scene), steps),
    )


def _fixes(failed: Failed, scene: Scene) -> tuple[Fix, ...]:
    words = failed.first.text.lower().replace("_", "-")
    name = next((name for name in COMPILED_AT_INSTALL if name in words), None)
    if name is None:
        return (by_hand("Build it beside torch", "Install it again with: pip install --no-build-isolation PACKAGE"),)
    steps = install(scene, name, options=("--no-build-isolation",))
    return (Fix(f"Build {name} beside the installed torch", safety(scene), steps),)
