"""Which published builds fit a machine: driver, GPUs, Python and platform, as far as the matrix knows them."""

from functools import lru_cache
from itertools import groupby

from msgspec.structs import replace

from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TensorflowBuild, TorchBuild
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.constraints import driver_can_compile, is_wanted_kind, package_obstacles, runs
from gpudoctor.plan.machine import Machine


@lru_cache(maxsize=1024)
def ranked(framework: str, machine: Machine, matrix: Matrix) -> tuple[Build, ...]:
    """Builds of a framework that run on every GPU of the machine (on its CPU, if that is wanted), best first.

    Those that their makers or their files speak of, newest release first, then what a link mends; then the others.
    Within a release the build that a plain install gives, then builds that need nothing beyond what the driver offers,
    then the newest CUDA. Empty when nothing the matrix knows fits. Kept: the machines of a fleet ask the same, and
    several rules ask for one.
    """
    packaged = _packaged(framework, replace(machine, driver=None, capabilities=(), gpu_names=()), matrix)
    fitting = [build for build in packaged if runs(build, machine, matrix)]
    # The builds are newest first already, and within a release newest CUDA first.
    releases = groupby(sorted(fitting, key=_last), key=lambda one: (*_last(one), one.version))
    return tuple(
        build for _, builds in releases for build in sorted(builds, key=lambda build: _rank(build, machine, matrix))
    )


def _last(build: Build) -> tuple[bool, bool]:
    return build.is_hearsay, build.fault is not None


@lru_cache(maxsize=256)
def _packaged(framework: str, machine: Machine, matrix: Matrix) -> tuple[Build, ...]:
    """Builds that can be installed, whatever the driver and the GPUs are: the machines of a fleet share them."""
    return tuple(
        build
        for build in builds_of(framework, machine.platform, matrix)
        if is_wanted_kind(build, machine) and all(one.mended for one in package_obstacles(build, machine, matrix))
    )


def _rank(build: Build, machine: Machine, matrix: Matrix) -> tuple[bool, bool]:
    if build.cuda is None or not isinstance(build.row, TorchBuild):
        return build.dist != build.framework, False
    driver = machine.driver
    unlimited = driver is not None and driver_can_compile(build.cuda, driver, machine.driver_os, matrix) is True
    return machine.platform not in build.row.default_on, not unlimited


def torch_builds_that_fit(machine: Machine, matrix: Matrix, version: str | None = None) -> tuple[TorchBuild, ...]:
    """CUDA builds of PyTorch (of one release, if given) that run on every GPU of the machine, best first."""
    wanted = None if version is None else set(map(id, matrix.torch_builds(version)))
    rows = (build.row for build in ranked("torch", machine, matrix) if build.processor == "cuda")
    return tuple(row for row in rows if isinstance(row, TorchBuild) and (wanted is None or id(row) in wanted))


def tensorflow_releases_that_fit(machine: Machine, matrix: Matrix) -> tuple[TensorflowBuild, ...]:
    """GPU builds of TensorFlow that run on every GPU of the machine, newest first; `last` is the release to take."""
    builds = ranked("tensorflow", machine, matrix)
    rows = {id(build.row): build.row for build in builds if build.processor == "cuda"}
    return tuple(row for row in rows.values() if isinstance(row, TensorflowBuild))
