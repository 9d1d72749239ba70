"""Other GPU packages in an environment, and whether a new build can be installed beside them.

Two builds for different CUDA majors own the same files (`gpudoctor.plan.compatibility`), so each recipe asks here.
What is installed and runs on this machine stays. What does not run gets its own recipe: torch's comes first,
TensorFlow's respects it, and JAX's respects both, so that the recipes agree whatever the order they are asked in.
"""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import Package
from gpudoctor.facts.scene import Scene
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.compatibility import clash, requirements_of
from gpudoctor.plan.constraints import Obstacle, obstacles
from gpudoctor.plan.machine import Machine

#: Obstacles that keep an installed build from running; the others keep it from being installed.
_STOPS = ("driver", "gpu", "cudnn")
_TORCH_TAG = re.compile(r"cu(\d+)\d")


class Neighbour(Fact, frozen=True, kw_only=True):
    """A framework with CUDA libraries in the same environment."""

    framework: str
    #: The CUDA major of its libraries.
    major: int
    #: None: the matrix does not list it.
    build: Build | None = None


def admits(build: Build, neighbours: tuple[Neighbour, ...], machine: Machine, matrix: Matrix) -> bool:
    """Whether a build can share an environment with all of these, as far as that is known."""
    return all(_can_share(build, one, machine, matrix) for one in neighbours)


def _can_share(build: Build, other: Neighbour, machine: Machine, matrix: Matrix) -> bool:
    if machine.os != "linux":
        # On Windows torch carries the libraries inside its own wheel, and the others have no GPU build.
        return True
    if other.build is None:
        return build.cuda is None or build.cuda.major == other.major
    return clash(build, other.build, lambda one: requirements_of(one, machine, matrix)) is None


def staying(scene: Scene, machine: Machine, matrix: Matrix, besides: str) -> tuple[Neighbour, ...]:
    """The other frameworks that are installed for the GPU, and run on it."""
    if scene.is_shared:
        return ()  # Whatever is installed there goes into a new environment.
    found = (_torch(scene, machine, matrix), _tensorflow(scene, machine, matrix), *_jax(scene, machine, matrix))
    return tuple(one for one in found if one and one.framework != besides and _runs(one, machine, matrix))


def unfit(scene: Scene, machine: Machine, matrix: Matrix) -> tuple[tuple[Build, tuple[Obstacle, ...]], ...]:
    """The builds for the GPU that do not run on it, each with what stops it."""
    every = (_torch(scene, machine, matrix), _tensorflow(scene, machine, matrix), *_jax(scene, machine, matrix))
    builds = (one.build for one in every if one is not None and one.build is not None)
    stopped = (
        (build, tuple(o for o in obstacles(build, machine, matrix) if o.constraint in _STOPS)) for build in builds
    )
    return tuple((build, found) for build, found in stopped if found)


def _runs(one: Neighbour, machine: Machine, matrix: Matrix) -> bool:
    if one.build is None:
        return True
    return not any(obstacle.constraint in _STOPS for obstacle in obstacles(one.build, machine, matrix))


def _torch(scene: Scene, machine: Machine, matrix: Matrix) -> Neighbour | None:
    package = scene.find("torch")
    if package is None or package.installer == "conda":
        return None
    version, _, tag = package.version.partition("+")
    builds = [one for one in builds_of("torch", machine.platform, matrix) if one.version == version]
    build = next((one for one in builds if one.variant == tag or (not tag and _is_default(one, machine))), None)
    match = _TORCH_TAG.fullmatch(tag)
    if build is not None and build.cuda is not None:
        return Neighbour(framework="torch", major=build.cuda.major, build=build)
    return Neighbour(framework="torch", major=int(match.group(1))) if match else None


def _is_default(build: Build, machine: Machine) -> bool:
    return isinstance(build.row, TorchBuild) and machine.platform in build.row.default_on


def _tensorflow(scene: Scene, machine: Machine, matrix: Matrix) -> Neighbour | None:
    """TensorFlow beside the cuDNN package of its CUDA: it takes its libraries from the environment."""
    package = scene.find("tensorflow")
    if package is None or package.installer == "conda":
        return None
    rows = matrix.tensorflow_builds(package.version, machine.platform, "tensorflow")
    row = next((one for one in rows if one.build == "gpu" and one.cuda is not None), None)
    major = row.cuda.major if row is not None and row.cuda is not None else 12
    if scene.find(f"nvidia-cudnn-cu{major}") is None:
        return None
    builds = [one for one in builds_of("tensorflow", machine.platform, matrix) if one.row is row]
    build = next((one for one in builds if one.version == package.version and one.has_extra), None)
    return Neighbour(framework="tensorflow", major=major, build=build)


def _jax(scene: Scene, machine: Machine, matrix: Matrix) -> tuple[Neighbour, ...]:
    found = []
    for plugin, major in jax_plugins(scene):
        builds = [one for one in builds_of("jax", machine.platform, matrix) if one.variant == f"cuda{major}"]
        build = next((one for one in builds if one.version == plugin.version), None)
        found.append(Neighbour(framework="jax", major=major, build=build))
    return tuple(found)


def jax_plugins(scene: Scene) -> tuple[tuple[Package, int], ...]:
    """The installed parts of JAX for a CUDA major."""
    names = {f"jax-cuda{major}-plugin": major for major in (12, 13, 14)}
    return tuple((package, major) for name, major in names.items() if (package := scene.find(name)) is not None)
