"""PYT001 python-unsupported-by-framework."""

from collections.abc import Iterator

from gpudoctor.matrix.query import Matrix
from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.python import Frameworks, Interpreter, Packages
from gpudoctor.model.system import System
from gpudoctor.model.wish import Wish
from gpudoctor.plan.places import wheel_platform
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen
from gpudoctor.rules._pythons import minor_of, python_fix, pythons_of, wanted_releases

FRAMEWORKS = ("torch", "tensorflow", "jax")


@rule("PYT001", name="python-unsupported-by-framework", severity="error", since="0.1")
def python_unsupported_by_framework(
    interpreter: Interpreter,
    host: System,
    wish: Wish,
    packages: Packages | Gap | None,
    frameworks: Frameworks | Gap | None,
    gpus: Gpus | Gap | None,
    matrix: Matrix,
) -> Iterator[Problem]:
    """There is no build of the framework for this Python version.

    What it means:
    Frameworks are published ready-made for certain Python versions. For the examined Python there is none: of the
    release you ask for, or of any release.

    Why it breaks:
    A new Python appears each October, and frameworks follow months later; old Pythons are dropped after a few years.
    pip then says "No matching distribution found" or "Could not find a version that satisfies the requirement".

    How to mend it:
    Make an environment with a Python that is supported. uv and conda can install one beside the system's own.

    When to ignore it:
    If you build the framework yourself, or your distribution brings its own build.

    Sources:
    https://github.com/pytorch/pytorch/blob/main/RELEASE.md
    https://www.tensorflow.org/install/pip
    """
    python, platform = minor_of(interpreter.version), wheel_platform(host)
    if python is None or platform is None or interpreter.implementation not in (None, "CPython", "cpython"):
        return
    for name, versions, asked in _judged(wish, packages, frameworks, gpus, matrix):
        pythons = {one for version in versions for one in pythons_of(name, version, platform, matrix)}
        if not pythons or python in pythons:
            continue
        what = f"{name} {versions[0]}" if len(versions) == 1 else f"any known {name} that meets {asked}"
        if asked is None:
            what = "PyTorch or TensorFlow"
        newest = sorted(pythons, key=lambda one: tuple(int(part) for part in one.split(".")))
        yield Problem(
            summary=f"Python {python} has no build of {what}; they exist for Python {newest[0]} to {newest[-1]}.",
            subject=f"Python {interpreter.version}",
            evidence=(
                seen("Python", f"{interpreter.version} ({interpreter.executable})"),
                seen(f"{name} exists for Python", ", ".join(newest)),
                *((seen("asked for", asked),) if asked else ()),
            ),
            explains=("package-required", "no-framework"),
            fixes=(python_fix(newest, interpreter, host),),
        )
        if asked is None:
            return


def _judged(
    wish: Wish,
    packages: Packages | Gap | None,
    frameworks: Frameworks | Gap | None,
    gpus: Gpus | Gap | None,
    matrix: Matrix,
) -> Iterator[tuple[str, tuple[str, ...], str | None]]:
    """What to look for wheels of: the releases asked for; else, on a GPU machine without a framework, all of them."""
    if isinstance(packages, Gap) or isinstance(frameworks, Gap):
        return
    for name in FRAMEWORKS:
        for requirement in wish.of(name):
            versions = wanted_releases(requirement, matrix)
            if versions and (packages is None or packages.find(name) is None):
                yield name, versions, requirement.text
    has_gpu = isinstance(gpus, Gpus) and bool(gpus.nvidia)
    has_framework = frameworks is not None and any(frameworks.get(name) for name in FRAMEWORKS)
    if has_gpu and not has_framework and not any(wish.of(name) for name in FRAMEWORKS):
        yield "torch+tensorflow", ("any",), None
