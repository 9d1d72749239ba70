"""Rows on what is offered beside the frameworks' own wheels: builds that are on no index, images, extensions."""

from typing import Literal

from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.types import Row


class Elsewhere(Row, frozen=True, kw_only=True):
    """A build that is on no package index, and the machines that it is for. What is None or empty rules nothing out."""

    framework: str
    platforms: tuple[str, ...]
    #: What it is, in a sentence without its full stop.
    text: str
    page: str
    #: Specifier of the releases that it is a build of.
    only: str = ""
    min_capability: Capability | None = None
    max_capability: Capability | None = None
    driver_from: DriverRelease | None = None
    driver_below: DriverRelease | None = None
    #: For Jetson boards only.
    tegra: bool = False
    vendor: Literal["nvidia", "amd"] = "nvidia"


class ContainerImage(Row, frozen=True, kw_only=True):
    """A tag of one of NVIDIA's framework images, nvcr.io/nvidia/IMAGE:TAG."""

    image: str
    tag: str
    #: Of the framework inside.
    version: str | None = None
    cuda: CudaVersion | None = None
    cudnn: str | None = None
    python: str | None = None
    #: Oldest drivers of older branches that the image's own forward compatibility takes, on data-centre GPUs.
    base_drivers: tuple[DriverRelease, ...] = ()
    #: The oldest GPU.
    min_capability: Capability | None = None
    notes: str | None = None


class BaseImage(Row, frozen=True, kw_only=True):
    """An image with a Python, to build others from."""

    image: str
    python: str
    #: linux-x86_64, linux-aarch64.
    platforms: tuple[str, ...]


class Extension(Row, frozen=True, kw_only=True):
    """Releases of a package that goes with a framework, and what they are made for. Empty is any, or not known."""

    package: str
    #: The distribution, where it is called otherwise: cupy-cuda12x.
    dist: str | None = None
    #: Newest first.
    versions: tuple[str, ...]
    #: Specifier of the torch it is made for.
    torch: str = ""
    #: CUDA majors.
    cuda: tuple[int, ...] = ()
    platforms: tuple[str, ...] = ()
    requires_python: str = ""
    numpy: str = ""
    min_capability: Capability | None = None
    #: The package index has its source only: it is compiled on the spot, with nvcc of the CUDA of torch.
    is_compiled: bool = False
    notes: str | None = None


class MatlabRelease(Row, frozen=True, kw_only=True):
    """A release of MATLAB: the CUDA toolkit that its Parallel Computing Toolbox is built with, and its GPUs."""

    #: R2024a
    release: str
    cuda: CudaVersion
    #: The oldest GPU; those that CUDA has no code for yet are compiled for by the driver, where that is enabled.
    min_capability: Capability | None = None
    #: Such GPUs work without being enabled: until R2020a.
    compiles_unasked: bool = False
