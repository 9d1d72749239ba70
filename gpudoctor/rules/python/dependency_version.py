"""PYT017 dependency-version."""

from collections.abc import Iterator

from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem, Severity
from gpudoctor.model.live import Live
from gpudoctor.model.python import Framework, Frameworks, Interpreter, Packages, Unmet
from gpudoctor.model.specifiers import is_met
from gpudoctor.model.system import System
from gpudoctor.plan.places import Scene
from gpudoctor.rules._at_start import AT_START
from gpudoctor.rules._builds import is_conda, release_numbers
from gpudoctor.rules._culprits import broken_package, named_module, package_of
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen
from gpudoctor.rules._failures import failures
from gpudoctor.rules._unmet import complete, is_older

#: What they import later, and no program gets far without.
_SOON: dict[str, frozenset[str]] = {
    "jax": frozenset({"scipy"}),
    "tensorflow": frozenset({"h5py", "keras", "tensorflow-estimator"}),
}
#: What other rules tell: tf-protobuf, jax-plugin-version.
_TOLD_ELSEWHERE = (("tensorflow", "protobuf"), ("jax", "jaxlib"))


@rule("PYT017", name="dependency-version", severity="error", since="0.1")
def dependency_version(
    packages: Packages,
    frameworks: Frameworks,
    live: Live | Gap | None,
    interpreter: Interpreter | Gap | None,
    host: System | Gap | None,
) -> Iterator[Problem]:
    """A package that a framework needs at its start is of a release that the framework does not accept.

    What it means:
    The framework names, in its own metadata, which releases it works with. The installed one is older, or the
    framework failed in it.

    Why it breaks:
    Imports end with "cannot import name ..." or "module compiled against ...". It happens when another package, or a
    person, installed an older release, or a much newer one.

    How to mend it:
    Install a release that the framework accepts, as below.

    When to ignore it:
    If the framework works all the same. A release that is newer than a framework admits is only told where it fails.

    Sources:
    https://packaging.python.org/en/latest/specifications/core-metadata/#requires-dist-multiple-use
    """
    scene = Scene(host=host, interpreter=interpreter, packages=packages)
    for name, at_start in AT_START.items():
        framework = frameworks.get(name)
        owner = (framework.dist or name) if framework else None
        if framework is None or owner is None or is_conda(packages, owner):
            continue
        for one in packages.unmet:
            is_told = (name, one.requirement) in _TOLD_ELSEWHERE or _is_numpy_2(one)
            if one.package != owner or one.found is None or is_told:
                continue
            severity = _severity(one, framework, live, scene)
            if severity is not None and one.requirement in at_start | _SOON.get(name, frozenset()):
                yield Problem(
                    summary=f"{framework.label} needs {one.requirement} {one.wanted}, and {one.found} is installed.",
                    subject=name,
                    severity=severity,
                    evidence=(
                        seen(f"{owner} needs", f"{one.requirement}{one.wanted}"),
                        seen(one.requirement, one.found),
                    ),
                    fixes=(complete(scene, owner, (one,)),),
                )


def _is_numpy_2(one: Unmet) -> bool:
    """NumPy 2 with what was compiled for NumPy 1: numpy2-abi tells."""
    numbers = release_numbers(one.found)
    return one.requirement == "numpy" and numbers is not None and numbers >= (2,) and not is_met(one.wanted, "2.0.0")


def _severity(one: Unmet, framework: Framework, live: Live | Gap | None, scene: Scene) -> Severity | None:
    """An error where the framework failed in it; a warning where it is older, and the framework was not proved."""
    if isinstance(live, Live):
        of_it = [failure for failure in failures(live) if (failure.framework or "").split(" ")[0] == framework.name]
        named = {package_of(module, scene) for failure in of_it if (module := named_module(failure))}
        if one.requirement in named | {broken_package(failure, scene) for failure in of_it}:
            return "error"
        if any(run.framework == framework.name and run.proved for run in live.smoke):
            return None
    return "warning" if is_older(one) else None
