"""Which published builds fit a machine: driver, GPUs, Python and platform, as far as the matrix knows them."""

import re
from collections.abc import Iterable
from itertools import groupby

from gpudoctor.matrix.kernels import coverage
from gpudoctor.matrix.query import Matrix
from gpudoctor.matrix.types import JaxBuild, Os, TensorflowBuild, TorchBuild
from gpudoctor.model.base import Fact
from gpudoctor.model.versions import Capability, CudaVersion, DriverRelease, LibraryVersion, package_version


class Machine(Fact, frozen=True, kw_only=True):
    """What a build must fit. What is None or empty is not known, and then no build is ruled out by it."""

    driver: DriverRelease | None = None
    #: One for each GPU that is to be used.
    capabilities: tuple[Capability, ...] = ()
    #: "3.12"
    python: str | None = None
    #: linux-x86_64, linux-aarch64, windows-x86_64, macos-arm64, macos-x86_64.
    platform: str | None = None

    @property
    def os(self) -> Os:
        """The operating system of the platform; Linux where that is not known."""
        prefix = (self.platform or "linux").split("-")[0]
        return "windows" if prefix == "windows" else "macos" if prefix == "macos" else "linux"

    @property
    def not_judged(self) -> tuple[str, ...]:
        """What is not known of the machine, in words; a list of builds that fit holds only as far as the rest goes."""
        known = {
            "driver": self.driver,
            "GPU": self.capabilities,
            "Python version": self.python,
            "platform": self.platform,
        }
        return tuple(name for name, value in known.items() if not value)


def torch_builds_that_fit(machine: Machine, matrix: Matrix, version: str | None = None) -> tuple[TorchBuild, ...]:
    """CUDA builds of PyTorch (of one release, if given) that run on every GPU of the machine, best first.

    Newest release first; within it the build that a plain install gives, then builds that need nothing beyond what the
    driver offers, then the newest CUDA. Empty when nothing the matrix knows fits.
    """
    fitting = [build for build in matrix.torch_builds(version) if _torch_fits(build, machine, matrix)]
    # The table is in this order already, newest release and newest CUDA first.
    releases = groupby(fitting, key=lambda build: build.version)
    return tuple(
        build for _, builds in releases for build in sorted(builds, key=lambda build: _rank(build, machine, matrix))
    )


def tensorflow_releases_that_fit(machine: Machine, matrix: Matrix) -> tuple[TensorflowBuild, ...]:
    """GPU builds of TensorFlow that run on every GPU of the machine, newest first; `last` is the release to take."""
    return tuple(
        build
        for build in matrix.tensorflow_builds(platform=machine.platform)
        if build.build == "gpu"
        and build.defect is None
        and _is_release(build.last)
        and _python_fits(build.pythons, machine)
        and _cuda_fits(build.cuda, build.archs, machine, matrix)
        and (not build.and_cuda or _cudnn_fits(build.cuda, _pinned_cudnn(build), machine, matrix))
    )


def jax_releases_that_fit(machine: Machine, matrix: Matrix) -> tuple[JaxBuild, ...]:
    """Releases of JAX, with the CUDA extra, that run on every GPU of the machine, newest first."""
    return tuple(
        build
        for build in matrix.jax_builds()
        if not build.yanked
        and machine.platform in (None, *build.platforms)
        and _python_fits(build.pythons, machine)
        and (build.driver_linux is None or machine.driver is None or machine.driver >= build.driver_linux)
        and all(build.min_capability is None or gpu >= build.min_capability for gpu in machine.capabilities)
        and _cuda_fits(build.cuda, build.archs, machine, matrix)
        and _cudnn_fits(build.cuda, None, machine, matrix)
    )


def driver_can_compile(cuda: CudaVersion, driver: DriverRelease, os: Os, matrix: Matrix) -> bool | None:
    """Whether a driver compiles PTX made by CUDA `cuda`: only if it offers that CUDA or a newer one. None: not known.

    Source: docs.nvidia.com/deploy/cuda-compatibility, "Minor Version Compatibility", on PTX and JIT.
    """
    offered = matrix.offered_cuda(driver, os)
    if offered is not None:
        return offered >= cuda
    floor = matrix.toolkit_floor(cuda, os)
    return driver >= floor.release if floor is not None else None


def _torch_fits(build: TorchBuild, machine: Machine, matrix: Matrix) -> bool:
    platform = machine.platform
    if build.cuda is None or (platform is not None and platform not in build.platforms):
        return False
    if build.index_suffix is None and platform not in build.default_on:
        return False
    # Without a platform the build of the commonest one speaks for all.
    archs = build.archs.get(platform or "linux-x86_64")
    return _python_fits(build.pythons, machine) and _cuda_fits(build.cuda, archs, machine, matrix)


def _python_fits(pythons: Iterable[str], machine: Machine) -> bool:
    return machine.python is None or machine.python in pythons


def _cuda_fits(cuda: CudaVersion | None, archs: tuple[str, ...] | None, machine: Machine, matrix: Matrix) -> bool:
    """The driver starts programs of `cuda`, and every GPU finds code it can run; False where the matrix cannot tell."""
    if cuda is None or (archs is None and machine.capabilities):
        return False
    if machine.driver is not None:
        floor = matrix.family_floor(cuda, machine.os)
        if floor is None or machine.driver < floor.release:
            return False
    found = {coverage(archs or (), gpu, cuda) for gpu in machine.capabilities}
    if "none" in found:
        return False
    if "ptx" not in found or machine.driver is None:
        return True
    return driver_can_compile(cuda, machine.driver, machine.os, matrix) is True


def _is_release(version: str) -> bool:
    parsed = package_version(version)
    return parsed is not None and not parsed.is_prerelease


def _pinned_cudnn(build: TensorflowBuild) -> LibraryVersion | None:
    """The cuDNN that the and-cuda extra pins; None where pip takes the newest, or where there is no such extra."""
    pins = (re.fullmatch(r"nvidia-cudnn-cu\d+==([\d.]+)", requirement) for requirement in build.and_cuda)
    return next((LibraryVersion(pin.group(1)) for pin in pins if pin), None)


def _cudnn_fits(cuda: CudaVersion | None, pinned: LibraryVersion | None, machine: Machine, matrix: Matrix) -> bool:
    """The cuDNN that comes with a fresh install still has kernels for every GPU; True where the matrix cannot tell."""
    row = matrix.cudnn(cuda.major, pinned) if cuda is not None else None
    oldest = row.min_capability if row is not None else None
    return oldest is None or all(gpu >= oldest for gpu in machine.capabilities)


def _rank(build: TorchBuild, machine: Machine, matrix: Matrix) -> tuple[bool, bool]:
    driver = machine.driver
    unlimited = (
        build.cuda is not None
        and driver is not None
        and driver_can_compile(build.cuda, driver, machine.os, matrix) is True
    )
    return machine.platform not in build.default_on, not unlimited
