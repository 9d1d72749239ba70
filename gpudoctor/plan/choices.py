"""Chooses the build that replaces an installed one, and whether it needs a separate environment."""

from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import Packages
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import CudaVersion, package_version
from gpudoctor.knowledge.frameworks import packages_of, planned
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TensorflowBuild, TorchBuild
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.plan.builds import Build
from gpudoctor.plan.fit import ranked, tensorflow_releases_that_fit, torch_builds_that_fit
from gpudoctor.plan.fit_range import nearest
from gpudoctor.plan.installed_companions import Neighbour, admits, jax_plugins, staying
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.nvidia_libraries import left_over, namesakes

#: Any driver from 525 on, of 2022, runs programs of this CUDA major.
_SERVED = int(milestone("cuda-of-most-drivers"))


class Choice(Fact, frozen=True, kw_only=True):
    """A build, and whether it needs an environment of its own here."""

    build: Build
    apart: bool
    #: Another framework that comes into this environment gets its build first, and takes away what is in the way.
    follows: bool = False


def torch_choice(scene: Scene, machine: Machine, matrix: Matrix, version: str | None = None) -> Choice | None:
    """The same release where one of its builds fits, else the nearest; the newest where none is there.

    Code of one release seldom runs with one that came years later. Of a release's builds one for what is there.
    """
    builds = [build for build in ranked("torch", machine, matrix) if build.processor == "cuda"]
    rows = torch_builds_that_fit(machine, matrix, version) if version else ()
    same = _offered([build for build in builds if any(build.row is row for row in rows)])
    offered = _offered(builds)
    near = nearest(offered, version) if version and not same else None
    found = same or [one for one in offered if near is None or one.version == near.version]
    if machine.driver is None:
        found = _for_most_drivers(found)
    package = scene.find("torch") or scene.find("pytorch")
    by_conda = package is not None and package.installer == "conda"  # conda's copy stays conda's to remove
    release = [build for build in found if build.version == found[0].version]
    apart = by_conda or _others_in_shared(scene, "torch")
    return _first(release, staying(scene, machine, matrix, "torch"), (), machine, matrix, apart=apart)


def _for_most_drivers(builds: list[Build]) -> list[Build]:
    """Where no driver is known, those of the oldest CUDA, but of no major before the one that drivers still serve."""
    served = [one for one in builds if one.cuda is not None and one.cuda.major <= _SERVED]
    newest = [one for one in served if one.version == served[0].version] or builds
    return sorted(newest, key=lambda one: one.cuda or CudaVersion("99.0"))


def _offered(builds: list[Build]) -> list[Build]:
    """Those whose index is known; of these, if there are any, the ones that were read from a published source."""
    known = [build for build in builds if isinstance(build.row, TorchBuild) and build.row.index_suffix]
    return [build for build in known if build.row.confidence in ("official", "metadata")] or known


def tensorflow_choice(scene: Scene, machine: Machine, matrix: Matrix) -> Choice | None:
    """The newest release with the extra and-cuda."""
    rows = tensorflow_releases_that_fit(machine, matrix)
    row = next((one for one in rows if _is_installable(one)), None)
    builds = [build for build in ranked("tensorflow", machine, matrix) if row is not None and build.row is row]
    last = [build for build in builds if row is not None and build.version == row.last]
    there = staying(scene, machine, matrix, "tensorflow")
    coming = _coming(scene, machine, matrix, there, ("torch",))
    return _first(last, there, coming, machine, matrix, apart=_others_in_shared(scene, "tensorflow"))


def _is_installable(build: TensorflowBuild) -> bool:
    version = package_version(build.last)
    return version is not None and not version.is_prerelease and bool(build.and_cuda)


def jax_choice(scene: Scene, machine: Machine, matrix: Matrix, version: str | None = None) -> Choice | None:
    """The installed release where one of its extras fits, else the newest; of its extras one for what is there."""
    builds = [one for one in ranked("jax", machine, matrix) if one.processor == "cuda"]
    wanted = package_version(version) if version else None
    same = [one for one in builds if wanted is not None and package_version(one.version) == wanted]
    found = same or [one for one in builds if one.version == builds[0].version]
    there = staying(scene, machine, matrix, "jax")
    coming = _coming(scene, machine, matrix, there, ("torch", "tensorflow"))
    return _first(found, there, coming, machine, matrix, apart=_others_in_shared(scene, "jax"))


def _first(
    builds: list[Build],
    there: tuple[Neighbour, ...],
    coming: tuple[Neighbour, ...],
    machine: Machine,
    matrix: Matrix,
    *,
    apart: bool = False,
) -> Choice | None:
    """The first that can live with what stays and what comes; else the first, apart."""
    if not builds:
        return None
    together = next((one for one in builds if admits(one, (*there, *coming), machine, matrix)), None)
    if together is None or apart:
        return Choice(build=builds[0], apart=True)
    return Choice(build=together, apart=False, follows=bool(coming))


def _coming(
    scene: Scene, machine: Machine, matrix: Matrix, there: tuple[Neighbour, ...], names: tuple[str, ...]
) -> tuple[Neighbour, ...]:
    """What takes the place of frameworks that are installed and do not use the GPU, as their own recipes say."""
    found = []
    for name in names:
        installed = next((p for dist in packages_of(name) if (p := scene.find(dist)) is not None), None)
        if scene.is_shared or installed is None or any(one.framework == name for one in there):
            continue
        choice = (
            torch_choice(scene, machine, matrix, installed.version)
            if name == "torch"
            else tensorflow_choice(scene, machine, matrix)
        )
        if choice is not None and not choice.apart and choice.build.cuda is not None:
            found.append(Neighbour(framework=name, major=choice.build.cuda.major, build=choice.build))
    return tuple(found)


def _others_in_shared(scene: Scene, framework: str) -> bool:
    """A Python that is shared gets new environments: one for each of its frameworks, as they need not agree."""
    others = (dist for name in planned() if name != framework for dist in packages_of(name))
    return scene.is_shared and any(scene.find(dist) is not None for dist in others)


def leaving_with(choice: Choice, scene: Scene) -> tuple[str, ...]:
    """What must go before the build comes: libraries and plugins for another CUDA, which own the same files."""
    packages = scene.packages if isinstance(scene.packages, Packages) else None
    if packages is None or scene.os != "linux" or choice.build.cuda is None:
        return ()
    majors = frozenset((choice.build.cuda.major,))
    libraries = left_over(packages, majors)
    # What has come by then of this major stays: it is pinned by what brought it.
    libraries += () if choice.follows else namesakes(packages, libraries, majors)
    if choice.build.framework != "jax":
        return libraries
    plugins = [(plugin.name, major) for plugin, major in jax_plugins(scene) if major not in majors]
    parts = (name for plugin, major in plugins for name in (plugin, f"jax-cuda{major}-pjrt"))
    return (*(name for name in parts if packages.find(name) is not None), *libraries)
