"""Rows of the matrix. Every row says where it comes from and how sure that is."""

from typing import Literal

from gpudoctor.model.base import Fact
from gpudoctor.model.versions import Capability, CudaVersion, DriverRelease

Grade = Literal["official", "metadata", "derived", "secondhand"]
Os = Literal["linux", "windows", "macos"]


class Row(Fact, frozen=True, kw_only=True):
    """`source` is the citation, `checked` the ISO date it was read, `confidence` its grade."""

    source: str = ""
    checked: str = ""
    confidence: Grade = "secondhand"


class DriverFloor(Row, frozen=True, kw_only=True):
    """The oldest driver that runs programs built with a CUDA version, on one operating system."""

    cuda: CudaVersion
    os: Os
    release: DriverRelease
    #: toolkit: the toolkit's own floor. family: minor-version compatibility, the whole major's floor.
    kind: Literal["toolkit", "family"]


class DriverBranch(Row, frozen=True, kw_only=True):
    """The newest CUDA version the drivers of a branch offer."""

    branch: int
    os: Os
    cuda: CudaVersion


class Architecture(Row, frozen=True, kw_only=True):
    """A GPU architecture and the drivers that serve it."""

    name: str
    capabilities: tuple[Capability, ...]
    #: First and last driver branch; None is open or unknown.
    first_branch: int | None = None
    last_branch: int | None = None
    #: open: only the open kernel modules. proprietary: only the proprietary ones.
    kernel_module: Literal["open", "proprietary", "either"] | None = None


class GpuModel(Row, frozen=True, kw_only=True):
    """A GPU product."""

    name: str
    #: Device part of the PCI id, four lower-case hex digits: "2684".
    device_ids: tuple[str, ...] = ()
    architecture: str | None = None
    capability: Capability | None = None
    segment: str | None = None


class Toolkit(Row, frozen=True, kw_only=True):
    """What a CUDA toolkit compiles for."""

    cuda: CudaVersion
    capabilities: tuple[Capability, ...] = ()
    gcc_max: int | None = None


class TorchBuild(Row, frozen=True, kw_only=True):
    """One release of PyTorch built for one CUDA version (or cpu, rocm)."""

    version: str
    #: cpu, cu126, rocm6.4 …: the local tag.
    variant: str
    cuda: CudaVersion | None = None
    cudnn: str | None = None
    os: tuple[Os, ...] = ()
    #: sm_80, compute_90 … by platform (linux-x86_64, linux-aarch64, windows); a missing platform is not known.
    archs: dict[str, tuple[str, ...]] = {}
    pythons: tuple[str, ...] = ()
    #: Platforms whose default index gives this build to a plain `pip install torch`.
    default_on: tuple[str, ...] = ()
    #: Path below the PyTorch download site, whl/cu126; None where it is not known to exist.
    index_suffix: str | None = None
    torchvision: str | None = None
    torchaudio: str | None = None
    notes: str | None = None


class TensorflowBuild(Row, frozen=True, kw_only=True):
    """A range of TensorFlow patch releases, one distribution, one platform."""

    line: str
    #: Inclusive.
    first: str
    last: str
    #: linux-x86_64, windows-x86_64, macos-arm64 …
    platform: str
    dist: str
    #: gpu or cpu.
    build: str
    cuda: CudaVersion | None = None
    cudnn: str | None = None
    archs: tuple[str, ...] | None = None
    pythons: tuple[str, ...] = ()
    keras: str | None = None
    numpy: str | None = None
    protobuf: str | None = None


class JaxBuild(Row, frozen=True, kw_only=True):
    """One release of JAX with one CUDA extra."""

    version: str
    variant: str
    cuda: CudaVersion | None = None
    cudnn: str | None = None
    archs: tuple[str, ...] | None = None
    pythons: tuple[str, ...] = ()
    driver_linux: DriverRelease | None = None


class NumpyAbi(Row, frozen=True, kw_only=True):
    """Whether a framework release works with NumPy 2."""

    package: str
    version: str
    os: Os | None = None
    works_with_numpy2: bool | None = None
