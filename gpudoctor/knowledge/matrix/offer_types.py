"""Row types of the matrix for builds off the index, container images and extensions."""

from typing import Literal

from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease, LibraryVersion
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
    #: The architectures of AMD's GPUs that it is for, gfx1100; empty: not known.
    gfx: tuple[str, ...] = ()


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
    #: The distribution that has its wheels, where that is another one: tensorrt-cu13-bindings.
    wheels: str | None = None
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


class Pair(Row, frozen=True, kw_only=True):
    """Releases of a package, and those of its framework that they are made for.

    Of packages with compiled parts whose metadata leaves it out; and of JAX's, whose metadata bounds it from below.
    """

    package: str
    #: Specifiers, as those of `made_for`: ==0.11.*
    releases: str
    of: Literal["torch", "tensorflow", "jax"]
    made_for: str
    #: With another release of the framework the package leaves out what is compiled, and works.
    is_optional: bool = False


class ToolkitParts(Row, frozen=True, kw_only=True):
    """The first release of the package cuda-toolkit for a CUDA, and what it requires. Newest first."""

    cuda: CudaVersion
    toolkit: str
    cusparse: str


class EngineBuild(Row, frozen=True, kw_only=True):
    """Releases of a program with GPU code of its own, and the libraries of CUDA that it opens and does not bring."""

    package: str
    #: Specifier: >=1.19,<1.27
    releases: str
    #: Majors, as its default build on the package index has them.
    cuda: int
    cudnn: int | None = None
    #: Majors of builds that bear the same release and come from elsewhere.
    also_for: tuple[int, ...] = ()
    #: On Windows its cuDNN needs zlibwapi.dll.
    needs_zlib: bool = False
    notes: str | None = None


class ReadyWheel(Row, frozen=True, kw_only=True):
    """Wheels of an extension on its project's release page: one for each torch, C++ ABI and Python."""

    package: str
    version: str
    #: Lines of torch, 2.8.
    torch: tuple[str, ...]
    #: As in the names of the files: 12, 122.
    cuda: str
    #: Whether they are for a torch with the new C++ ABI.
    abis: tuple[bool, ...]
    pythons: tuple[str, ...]
    platform: str
    #: Of the system that they are built on.
    glibc: LibraryVersion
    #: The folder of the files.
    address: str

    @property
    def cuda_major(self) -> int:
        """The CUDA major that they are built for."""
        return int(self.cuda[:2])

    def url(self, torch: str, python: str, *, new_abi: bool) -> str:
        """The wheel for a line of torch and a Python, as an address."""
        name, tag = self.package.replace("-", "_"), "cp" + python.replace(".", "")
        built = f"cu{self.cuda}torch{torch}cxx11abi{'TRUE' if new_abi else 'FALSE'}"
        return f"{self.address}/{name}-{self.version}%2B{built}-{tag}-{tag}-{self.platform.replace('-', '_')}.whl"


class AmdGpu(Row, frozen=True, kw_only=True):
    """A product of AMD."""

    name: str
    #: Its architecture, gfx1100.
    gfx: str


class AmdFamily(Row, frozen=True, kw_only=True):
    """Architectures of AMD of which one is built for, and whose others run its code."""

    #: What their names begin with: gfx103.
    family: str
    #: gfx1030
    built: str
    #: What HSA_OVERRIDE_GFX_VERSION calls it: 10.3.0.
    override: str
    #: Members that do not run its code.
    not_for: tuple[str, ...] = ()


class RocmBuild(Row, frozen=True, kw_only=True):
    """A build of a framework for AMD's GPUs, for Linux on x86_64."""

    framework: str
    version: str
    #: The ROCm that it is built with, 6.4.
    rocm: str
    #: rocm6.4, as in the address of PyTorch's index; rocm7-local, the extra of JAX.
    variant: str
    #: gfx1100 …; None is not known.
    archs: tuple[str, ...] | None = None
    #: Architectures in it for which the libraries of its ROCm have no code.
    without_libraries: tuple[str, ...] = ()
    pythons: tuple[str, ...] = ()
    #: Path below the PyTorch download site; None: the package index.
    index_suffix: str | None = None


class Runtime(Row, frozen=True, kw_only=True):
    """What is there before anything is installed: a notebook service, a Jetson's system, a channel's builds."""

    runtime: Literal["colab", "kaggle", "jetpack", "conda-forge"]
    #: The ISO day it begins (Colab), the image (Kaggle), the JetPack, or the package and its release (conda-forge).
    release: str
    python: str | None = None
    #: Of its toolkit; of conda-forge those that the release is built for.
    cuda: tuple[CudaVersion, ...] = ()
    #: Versions of frameworks, with their local tags; and of L4T.
    versions: dict[str, str] = {}
    platforms: tuple[str, ...] = ()


class MatlabRelease(Row, frozen=True, kw_only=True):
    """A release of MATLAB: the CUDA toolkit that its Parallel Computing Toolbox is built with, and its GPUs."""

    #: R2024a
    release: str
    cuda: CudaVersion
    #: The oldest GPU; those that CUDA has no code for yet are compiled for by the driver, where that is enabled.
    min_capability: Capability | None = None
    #: Such GPUs work without being enabled: until R2020a.
    compiles_unasked: bool = False
