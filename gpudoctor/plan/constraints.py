"""Which constraints keep a build from running on a machine (driver, GPU, Python, glibc …), each with a way out."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease, LibraryVersion
from gpudoctor.knowledge.frameworks import title_of
from gpudoctor.knowledge.matrix.kernels import coverage, ptx_is_refused
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import JaxBuild, Os, TensorflowBuild, TorchBuild
from gpudoctor.knowledge.metal import LOWEST, floor_missed
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.plan.builds import Build, carrier_of
from gpudoctor.plan.cuda_compat import compat_package
from gpudoctor.plan.cudnn import oldest_gpu_of_cudnn
from gpudoctor.plan.general import why_no_code
from gpudoctor.plan.glibc import glibc_floor
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.nvidia_libraries import link_words
from gpudoctor.plan.wheels import oldest_macos, releases_of

#: version, cuda and companion come from the wish, pins from the other frameworks of the same environment.
Constraint = Literal[
    "platform",
    "python",
    "index",
    "withdrawn",
    "defect",
    "libc",
    "macos",
    "driver",
    "gpu",
    "cudnn",
    "version",
    "cuda",
    "companion",
    "pins",
    "unknown",
]

#: What serves Blackwell GPUs in place of a TensorFlow whose PTX does not; see ptx_is_refused.
CONTAINER = "NVIDIA's container of it, nvcr.io/nvidia/tensorflow"
#: The first CUDA whose libraries know Ampere.
FIRST_CUDA = CudaVersion(milestone("cuda-ampere"))
AMPERE = Capability("8.0")
#: Where the builds for Jetson boards are.
JETSON = (
    "NVIDIA's own build for this JetPack release, "
    "https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform/"
)


class Obstacle(Fact, frozen=True, kw_only=True):
    """A constraint that fails, in words, and the nearest change that would meet it (None: there is none)."""

    constraint: Constraint
    text: str
    change: str | None = None
    #: A step of the plan takes it away.
    mended: bool = False


def fits(build: Build, machine: Machine, matrix: Matrix) -> bool:
    """Whether nothing that is known keeps the build from running; False where the matrix cannot tell."""
    return all(one.mended for one in obstacles(build, machine, matrix))


def obstacles(build: Build, machine: Machine, matrix: Matrix) -> Iterator[Obstacle]:
    """What keeps the build from running on every GPU of the machine, the cheapest question first."""
    yield from package_obstacles(build, machine, matrix)
    yield from hardware_obstacles(build, machine, matrix)


def runs(build: Build, machine: Machine, matrix: Matrix) -> bool:
    """Whether the driver and every GPU run a build that can be installed."""
    return next(hardware_obstacles(build, machine, matrix), None) is None


def hardware_obstacles(build: Build, machine: Machine, matrix: Matrix) -> Iterator[Obstacle]:
    """Whether the driver and every GPU run it; packages and Python are not asked."""
    floor = floor_missed(build.version, machine.macos) if build.processor == "mps" and not machine.cpu_only else None
    if floor is not None and machine.macos is not None and machine.macos >= LOWEST:
        text = f"it uses a Mac's GPU from macOS {floor} on, and this is {machine.macos}"
        yield Obstacle(constraint="macos", text=text, change=f"macOS >= {floor}")
    if build.processor == "cuda" and machine.gfx and not machine.cpu_only:
        yield Obstacle(constraint="gpu", text=f"it is built for NVIDIA's GPUs, and this is {machine.label(0)}")
    if build.processor != "cuda" or not machine.uses_cuda:
        return
    if machine.tegra is not None and not _is_for_jetson(build, machine):
        yield Obstacle(constraint="platform", text="it is not made for the GPU of a Jetson", change=JETSON)
        return
    yield from _driver(build, machine, matrix)
    for index in range(len(machine.capabilities)):
        yield from gpu_obstacles(build, machine, index, matrix)


def _is_for_jetson(build: Build, machine: Machine) -> bool:
    """Whether it has machine code for the board's GPU, which takes none that is made for others; and a driver is known.

    The drivers of older JetPacks run no general build at all.
    """
    found = {coverage(build.archs or (), gpu, build.cuda) for gpu in machine.capabilities}
    return machine.driver is not None and found == {"native"}


def is_wanted_kind(build: Build, machine: Machine) -> bool:
    """Whether it is for what is to be used, GPU or CPU."""
    # The package index may have no build of torch for the CPU; the one for GPUs computes on the CPU as well.
    if build.framework == "torch" and machine.package_index_only and machine.cpu_only:
        return True
    return (build.processor == "cuda") is machine.uses_cuda


def package_obstacles(build: Build, machine: Machine, matrix: Matrix) -> Iterator[Obstacle]:
    """Whether there is a package to install at all; driver and GPUs are not asked."""
    if machine.platform is not None and machine.platform not in build.platforms:
        yield _other_platform(build, machine.platform)
    if machine.python is not None and machine.python not in build.pythons:
        change = span(build.pythons)
        own = build.row.pythons if isinstance(build.row, TensorflowBuild) else ()
        what = "a package that its and-cuda extra asks for" if machine.python in own else "it"
        text = f"{what} has no wheel for Python {machine.python}"
        yield Obstacle(constraint="python", text=text, change=f"Python {change}" if change else None)
    if build.fault is not None:
        mend = " and ".join(link_words(*one) for one in build.links.items()) or None
        yield Obstacle(constraint=build.fault[0], text=build.fault[1], change=mend, mended=bool(build.links))
    if machine.package_index_only and isinstance(build.row, TorchBuild) and build.platform not in build.row.default_on:
        yield Obstacle(constraint="index", text="the package index does not have it")
    yield from _libc(build, machine, matrix)
    oldest = macos_floor(build, machine, matrix)
    if oldest is not None and machine.macos is not None and machine.macos < oldest:
        text = f"its wheels need macOS {oldest} or newer, and this is {machine.macos}"
        yield Obstacle(constraint="macos", text=text, change=f"macOS >= {oldest}")


def macos_floor(build: Build, machine: Machine, matrix: Matrix) -> LibraryVersion | None:
    """The oldest macOS that takes the build's wheels; None: another system, or not known."""
    if machine.os != "macos":
        return None
    row = releases_of(carrier_of(build), matrix).get(build.version)
    return oldest_macos(row, machine) if row is not None else None


def _other_platform(build: Build, platform: str) -> Obstacle:
    where = " or ".join(build.platforms)
    if isinstance(build.row, JaxBuild) and build.processor != "cuda" and build.platforms == build.row.platforms:
        # JAX runs there on the CPU, but the table was made for its GPU builds.
        return Obstacle(constraint="unknown", text=f"the matrix does not list JAX for {platform}")
    if build.framework != "torch" and platform == "windows-x86_64" and build.processor == "cuda":
        last = " after 2.10" if build.framework == "tensorflow" else ""
        text = f"{title_of(build.framework)} has no GPU build for native Windows{last}"
        return Obstacle(constraint="platform", text=text, change="WSL 2, which is linux-x86_64")
    what = "GPU build" if build.processor == "cuda" else "wheel"
    return Obstacle(constraint="platform", text=f"it has no {what} for {platform}", change=where or None)


def _libc(build: Build, machine: Machine, matrix: Matrix) -> Iterator[Obstacle]:
    if machine.os != "linux":
        return
    if machine.libc == "musl":
        yield Obstacle(constraint="libc", text="it has no wheel for musl", change="a system with glibc")
        return
    if machine.libc_version is None:
        return
    floor = glibc_floor(carrier_of(build), build.version, matrix, build.variant, build.platform)
    if floor is not None and machine.libc_version < floor:
        text = f"its wheels need glibc {floor}, and this is {machine.libc_version}"
        yield Obstacle(constraint="libc", text=text, change=f"glibc >= {floor}")


def _driver(build: Build, machine: Machine, matrix: Matrix) -> Iterator[Obstacle]:
    """The driver starts programs of the build's CUDA (minor-version compatibility)."""
    if build.cuda is None:
        yield Obstacle(constraint="unknown", text="the matrix does not know the CUDA it was built with")
        return
    floor = driver_floor(build, machine.driver_os, matrix)
    if machine.driver is None:
        return
    if floor is None:
        text = f"the matrix does not know the driver that CUDA {build.cuda} needs on {machine.driver_os}"
        yield Obstacle(constraint="unknown", text=text)
    elif is_older(machine, floor):
        text = f"CUDA {build.cuda} needs driver {floor} or newer, and this is {machine.driver}"
        package = compat_package(build.cuda, machine, matrix)
        beside = f", or {package} beside this one" if package else ""
        change = JETSON if machine.tegra is not None else f"driver >= {floor}{beside}"
        yield Obstacle(constraint="driver", text=text, change=change)


def is_older(machine: Machine, floor: DriverRelease) -> bool:
    """Whether the machine's driver is known to be older. That of a Jetson states its branch only: 580.00."""
    if machine.driver is None or (machine.tegra is not None and machine.driver.branch >= floor.branch):
        return False
    return machine.driver < floor


def driver_floor(build: Build, os: Os, matrix: Matrix) -> DriverRelease | None:
    """The oldest driver that starts the build's programs; None is not known."""
    row = _family_floor(build.cuda, os, matrix) if build.cuda is not None else None
    if row is None:
        return None
    return max(row, build.min_driver) if build.min_driver is not None else row


@lru_cache(maxsize=256)
def _family_floor(cuda: CudaVersion, os: Os, matrix: Matrix) -> DriverRelease | None:
    row = matrix.family_floor(cuda, os)
    return row.release if row is not None else None


def gpu_obstacles(build: Build, machine: Machine, index: int, matrix: Matrix) -> Iterator[Obstacle]:
    """What keeps the build from running on one GPU of the machine."""
    gpu, label = machine.capabilities[index], machine.label(index)
    if build.archs is None:
        missing = why_no_code(build, gpu, label, matrix)
        if missing is not None:
            yield Obstacle(constraint=missing[0], text=missing[1])
        return
    found = coverage(build.archs, gpu, build.cuda)
    too_old = build.min_capability is not None and gpu < build.min_capability
    if found == "none" or too_old:
        yield Obstacle(constraint="gpu", text=f"it has no code for {label}", change=_other_gpu(build))
        return
    refusal = ptx_is_refused(build.framework, build.version, gpu) if found == "ptx" else None
    if refusal is not None:
        text = f"it has only PTX for {label}, and {refusal.reason}"
        yield Obstacle(constraint="gpu", text=text, change=CONTAINER)
        return
    if found == "ptx" and build.cuda is not None and build.framework == "torch" and matrix.predates(build.cuda, gpu):
        yield Obstacle(
            constraint="gpu",
            text=f"the libraries of CUDA {build.cuda} have no code for {label}",
            change=_other_gpu(build),
        )
        return
    if found == "ptx" and build.cuda is not None and build.cuda < FIRST_CUDA and gpu >= AMPERE:
        text = f"the libraries of CUDA {build.cuda} have no code for {label}"
        yield Obstacle(constraint="gpu", text=text, change=f"a GPU older than compute capability {AMPERE} instead")
        return
    if found == "ptx" and not _compiles(build.cuda, machine, matrix):
        assert build.cuda is not None
        yield _cannot_compile(build.cuda, label, machine, matrix)
        return
    oldest = oldest_gpu_of_cudnn(build, matrix)
    if oldest is not None and gpu < oldest:
        text = f"the cuDNN that comes with it has no code for {label}"
        yield Obstacle(constraint="cudnn", text=text, change=f"a GPU of compute capability {oldest} or newer instead")


def _other_gpu(build: Build) -> str:
    numbers = sorted({number for arch in build.archs or () if (number := _number(arch))})
    return f"a GPU of compute capability {numbers[0]} to {numbers[-1]} instead" if numbers else "another GPU"


@lru_cache(maxsize=256)
def _number(arch: str) -> Capability | None:
    match = re.fullmatch(r"(?:sm|compute)_(\d+)(\d)[af]?", arch)
    return Capability.parse(f"{match.group(1)}.{match.group(2)}") if match else None


def _compiles(cuda: CudaVersion | None, machine: Machine, matrix: Matrix) -> bool:
    if cuda is None or machine.driver is None:
        return True
    return driver_can_compile(cuda, machine.driver, machine.driver_os, matrix) is True


def _cannot_compile(cuda: CudaVersion, label: str, machine: Machine, matrix: Matrix) -> Obstacle:
    text = f"for {label} it has only PTX of CUDA {cuda}, which driver {machine.driver} does not compile"
    floor = matrix.toolkit_floor(cuda, machine.driver_os)
    return Obstacle(constraint="driver", text=text, change=f"driver >= {floor.release}" if floor is not None else None)


def driver_can_compile(cuda: CudaVersion, driver: DriverRelease, os: Os, matrix: Matrix) -> bool | None:
    """Whether a driver compiles PTX made by CUDA `cuda`: only if it offers that CUDA or a newer one. None: not known.

    Source: docs.nvidia.com/deploy/cuda-compatibility, "Minor Version Compatibility", on PTX and JIT.
    """
    offered = matrix.offered_cuda(driver, os)
    if offered is not None:
        return offered >= cuda
    floor = matrix.toolkit_floor(cuda, os)
    return driver >= floor.release if floor is not None else None


def pinned_cudnn(build: Build) -> LibraryVersion | None:
    """The cuDNN that the and-cuda extra pins; None where pip takes the newest, or where there is no such extra."""
    required = build.row.and_cuda if isinstance(build.row, TensorflowBuild) else ()
    pins = (re.fullmatch(r"nvidia-cudnn-cu\d+==([\d.]+)", one) for one in required)
    return next((LibraryVersion(pin.group(1)) for pin in pins if pin), None)


def span(pythons: tuple[str, ...]) -> str:
    """The first and the last of some Python versions, 3.9 to 3.12; empty for none."""
    if not pythons:
        return ""
    ordered = sorted(pythons, key=lambda text: [int(part) for part in text.split(".")])
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"
