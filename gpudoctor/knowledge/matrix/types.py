"""Row types of the matrix for drivers, CUDA toolkits and framework builds; each row has a source and a grade."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease, LibraryVersion

#: official: the vendor's own document. metadata: read out of published packages. derived: worked out from such facts.
#: secondhand: other people's tables, or recalled.
Grade = Literal["official", "metadata", "derived", "secondhand"]
Os = Literal["linux", "windows", "macos"]
#: The words for a platform: operating system and processor.
PLATFORMS: tuple[str, ...] = (
    *("linux-x86_64", "linux-aarch64", "windows-x86_64", "windows-aarch64"),
    *("macos-arm64", "macos-x86_64"),
)


class Row(Fact, frozen=True, kw_only=True):
    """`source` is the citation, `checked` the ISO date it was read, `confidence` its grade."""

    source: str = ""
    checked: str = ""
    confidence: Grade = "secondhand"


class DriverFloor(Row, frozen=True, kw_only=True, tag_field="row", tag="floor"):
    """The oldest driver that runs programs built with a CUDA version, on one operating system."""

    cuda: CudaVersion
    os: Os
    release: DriverRelease
    #: toolkit: the toolkit's own floor. family: minor-version compatibility, the whole major's floor.
    kind: Literal["toolkit", "family"]
    #: Full version of the toolkit release, 12.4.1; a CUDA version compares by its first two numbers.
    toolkit: str | None = None
    notes: str | None = None


class DriverBranch(Row, frozen=True, kw_only=True, tag_field="row", tag="branch"):
    """The newest CUDA version the drivers of a branch offer."""

    branch: int
    os: Os
    cuda: CudaVersion
    #: First numbers of its releases, inclusive: Windows releases of branch 525 begin with 526 to 529.
    first: int
    last: int
    #: It still gets mends where others are followed by the next one.
    is_long_term: bool = False
    notes: str | None = None


class ForwardCompat(Row, frozen=True, kw_only=True, tag_field="row", tag="forward"):
    """Kernel drivers (data-centre GPUs only) that take the cuda-compat package of a CUDA version."""

    cuda: CudaVersion
    #: Oldest release by driver branch, as published; a branch that is not listed is not known to work.
    drivers: tuple[DriverRelease, ...] = ()
    #: Branches named as not compatible.
    refused: tuple[int, ...] = ()
    notes: str | None = None


class Toolkit(Row, frozen=True, kw_only=True, tag_field="row", tag="toolkit"):
    """What a CUDA toolkit compiles for, and the newest host compilers it takes."""

    cuda: CudaVersion
    capabilities: tuple[Capability, ...] = ()
    #: sm_90a, sm_100f …: the targets with a suffix.
    specific: tuple[str, ...] = ()
    #: The oldest gcc that extensions of PyTorch are compiled with.
    gcc_min: int | None = None
    gcc_max: int | None = None
    clang_max: int | None = None
    notes: str | None = None


class TorchBuild(Row, frozen=True, kw_only=True):
    """One release of PyTorch built for one CUDA version (or for the CPU)."""

    version: str
    #: cpu, cu126, rocm6.4 …: the local tag.
    variant: str
    cuda: CudaVersion | None = None
    #: The toolkit release it was built with, where known: 12.8.1.
    cuda_patch: str | None = None
    cudnn: str | None = None
    nccl: str | None = None
    #: Version or requirement of triton.
    triton: str | None = None
    os: tuple[Os, ...] = ()
    platforms: tuple[str, ...] = ()
    #: sm_80, compute_90 … by platform; a platform that is missing is not known.
    archs: dict[str, tuple[str, ...]] = {}
    #: Whether PTX is inside (Linux); None is not known.
    ptx: bool | None = None
    pythons: tuple[str, ...] = ()
    #: Platforms that have wheels for fewer of them.
    pythons_on: dict[str, tuple[str, ...]] = {}
    #: Platforms whose default index gives this build to a plain `pip install torch`.
    default_on: tuple[str, ...] = ()
    #: Path below the PyTorch download site, whl/cu126; None where the project does not offer it there.
    index_suffix: str | None = None
    torchvision: str | None = None
    torchaudio: str | None = None
    notes: str | None = None

    def pythons_for(self, platform: str | None) -> tuple[str, ...]:
        """The Pythons that have a wheel on a platform; all of them without one."""
        return self.pythons_on.get(platform or "", self.pythons)


class GlibcFloor(Row, frozen=True, kw_only=True):
    """The C library that the Linux wheels of a package are made for, from a release on. Newest first in a package."""

    package: str
    since: str
    glibc: LibraryVersion
    #: Variants or platforms that it holds for alone: cu126, linux-aarch64; empty: all.
    kinds: tuple[str, ...] = ()


class Companions(Row, frozen=True, kw_only=True):
    """The torchvision and torchaudio releases made for a release of torch; empty is not known or none was made."""

    torch: str
    torchvision: tuple[str, ...] = ()
    torchaudio: tuple[str, ...] = ()
    notes: str | None = None


class TensorflowBuild(Row, frozen=True, kw_only=True):
    """A range of TensorFlow patch releases, one distribution, one platform."""

    line: str
    #: Inclusive.
    first: str
    last: str
    #: linux-x86_64, windows-x86_64, macos-arm64 …; "any" for a distribution that only fails to install.
    platform: str
    dist: str
    #: stub: a distribution that only fails to install.
    build: Literal["gpu", "cpu", "stub"]
    cuda: CudaVersion | None = None
    cudnn: str | None = None
    archs: tuple[str, ...] | None = None
    #: Architectures with machine code for fewer than half of the kernels; the rest is compiled from PTX at the start.
    partial: tuple[str, ...] = ()
    pythons: tuple[str, ...] = ()
    #: Exact requirements of the and-cuda extra.
    and_cuda: tuple[str, ...] = ()
    #: Pythons for which all of them have wheels, where those are fewer (TensorRT 8.5.3.1 has none for 3.11).
    extra_pythons: tuple[str, ...] = ()
    keras: str | None = None
    numpy: str | None = None
    protobuf: str | None = None
    #: A measured fault of the release itself: a fresh install does not use the GPU.
    defect: str | None = None
    #: Links with which the defect is gone, and what each leads to: both below site-packages.
    links: dict[str, str] = {}
    notes: str | None = None


class JaxBuild(Row, frozen=True, kw_only=True):
    """One release of JAX with one CUDA extra."""

    version: str
    #: The extra: cuda12, cuda13, cuda12_pip ….
    variant: str
    #: The oldest CUDA and cuDNN its requirements admit.
    cuda: CudaVersion | None = None
    cudnn: str | None = None
    jaxlib: str | None = None
    archs: tuple[str, ...] | None = None
    pythons: tuple[str, ...] = ()
    #: Platforms where the extra gives a GPU build.
    platforms: tuple[str, ...] = ()
    driver_linux: DriverRelease | None = None
    #: The oldest GPU that the installation guide admits.
    min_capability: Capability | None = None
    yanked: bool = False
    notes: str | None = None


class FrameworkBuild(Row, frozen=True, kw_only=True):
    """One build of a framework that has no table of its own."""

    #: Its name in frameworks.toml.
    framework: str
    version: str
    #: The distribution.
    package: str
    #: cu126, as in the address of its makers' index; plain for the build on the package index.
    variant: str
    cuda: CudaVersion | None = None
    cudnn: str | None = None
    #: Where they were not read, which GPUs it has code for is said to be unknown, as far as its CUDA can serve them.
    archs: tuple[str, ...] | None = None
    #: The oldest GPU that it is known to have code for.
    min_capability: Capability | None = None
    #: The oldest that its makers ask for.
    driver_linux: DriverRelease | None = None
    pythons: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    notes: str | None = None


class KerasPairing(Row, frozen=True, kw_only=True):
    """The Keras that a TensorFlow release asks for, and the tf-keras of the same line."""

    tensorflow: str
    #: Requirement as its metadata states it.
    keras: str | None = None
    major: int | None = None
    tf_keras: tuple[str, ...] = ()
    notes: str | None = None


class ProtobufRange(Row, frozen=True, kw_only=True):
    """The protobuf that a TensorFlow release asks for and the range that works with it."""

    tensorflow: str
    #: Specifier in its metadata; may admit releases that do not work.
    required: str
    #: Specifier that works, where it is narrower than what is required.
    works: str | None = None
    notes: str | None = None


class NumpyAbi(Row, frozen=True, kw_only=True):
    """Whether a framework release works with NumPy 2."""

    package: str
    version: str
    #: None: the same on every operating system.
    os: Os | None = None
    works_with_numpy2: bool | None = None
    #: Specifier in its metadata.
    required: str | None = None


class Cudnn(Row, frozen=True, kw_only=True):
    """A cuDNN minor release built for one or more CUDA versions."""

    #: 9.10
    cudnn: str
    #: "12.x", or the single versions.
    cuda: tuple[str, ...]
    min_capability: Capability | None = None
    driver_linux: DriverRelease | None = None
    driver_windows: DriverRelease | None = None
    #: Architectures in the operations library of the wheel, where it was read.
    archs: tuple[str, ...] | None = None
    notes: str | None = None


class Release(Row, frozen=True, kw_only=True):
    """Releases of a distribution that have the same wheels on the package index. Pre-releases are left out."""

    package: str
    #: Newest first.
    versions: tuple[str, ...]
    #: Pythons by platform ("any" for a wheel that serves every one): 3.12; 3.13t, free-threaded; >=3.9, that and newer.
    wheels: dict[str, tuple[str, ...]] = {}
    #: The oldest macOS that they are tagged for, by platform; where Pythons differ, by both: "macos-arm64 3.14".
    macos: dict[str, str] = {}
    requires_python: str | None = None
    yanked: bool = False
    #: No longer on the index.
    gone: bool = False


class TritonAssembler(Row, frozen=True, kw_only=True):
    """The assemblers in a release of Triton: which driver takes what torch.compile makes follows from them."""

    version: str
    #: Release of ptxas, 12.8.93.
    ptxas: str
    #: Of the one for GPUs from 10.0 on, where there is one.
    ptxas_blackwell: str | None = None
