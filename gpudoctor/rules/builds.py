"""A framework's build as rules ask about it: GPU architectures, cuDNN, platform, version numbers."""

import re
from collections.abc import Iterable

from gpudoctor.facts.base import Fact, Source
from gpudoctor.facts.versions import Capability, CudaVersion, LibraryVersion, package_version
from gpudoctor.knowledge.frameworks import gpu_code_owners
from gpudoctor.knowledge.matrix.kernels import Coverage, LikelyCode, coverage, likely_code, ptx_is_refused
from gpudoctor.knowledge.matrix.types import JaxBuild, Os, TensorflowBuild, TorchBuild
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.places import wheel_platform
from gpudoctor.rules._driver_state import usable
from gpudoctor.rules.sections import Container, Framework, Frameworks, Gap, Gpu, Gpus, Matrix, Packages, System
from gpudoctor.rules.terms import Evidence


class DeviceCode(Fact, frozen=True, kw_only=True):
    """The GPU architectures compiled into a build, and how that is known."""

    archs: tuple[str, ...]
    source: Source
    #: What the list is of, where it is not what the build contains.
    of: str | None = None

    @property
    def lowest(self) -> Capability:
        """The lowest capability compiled for."""
        return min(capability_of(arch) for arch in self.archs)

    @property
    def highest(self) -> Capability:
        """The highest capability compiled for."""
        return max(capability_of(arch) for arch in self.archs)

    def evidence(self, framework: Framework) -> Evidence:
        """The list, as a reader would see it."""
        fact = self.of or f"{framework.label} has code for"
        return Evidence(fact=fact, value=" ".join(self.archs), source=self.source)


class Service(Fact, frozen=True, kw_only=True):
    """How a build serves one GPU."""

    gpu: Gpu
    capability: Capability
    coverage: Coverage

    @property
    def evidence(self) -> Evidence:
        """The GPU's compute capability."""
        return Evidence(
            fact=f"{self.gpu.label}: compute capability", value=str(self.capability), source=self.gpu.source
        )


#: Older builds of PyTorch in conda are those of its makers.
CONDA_FORGE = numbers_of("torch-on-conda-forge")


def is_left_out(code: DeviceCode, capability: Capability, matrix: Matrix) -> bool:
    """A GPU whose support has ended, between the oldest and the newest that a build has code for."""
    return code.lowest < capability < code.highest and matrix.last_driver_branch(capability) is not None


def capability_of(arch: str) -> Capability:
    """The capability in "sm_90a" or "compute_120". Raises ValueError for other text."""
    match = re.fullmatch(r"(?:sm|compute)_(\d+)(\d)[af]?", arch)
    if match is None:
        raise ValueError(f"not a GPU architecture: {arch!r}")
    return Capability(f"{match.group(1)}.{match.group(2)}")


def device_code(framework: Framework, matrix: Matrix, host: System | Gap | None) -> DeviceCode | None:
    """The architectures in a build: as its own files say, else as the matrix knows that build; None is unknown."""
    if framework.archs:
        archs, source = framework.archs, framework.archs_source or Source(kind="metadata", where=framework.label)
    else:
        archs, source = _archs_of_matrix(framework, matrix, wheel_platform(host))
    likely = None if archs else _likely_code(framework, matrix)
    of = f"{framework.name} {likely.words}, the nearest releases that were read, have code for" if likely else None
    readable = tuple(
        arch for arch in (likely.archs if likely else archs) if re.fullmatch(r"(?:sm|compute)_\d{2,3}[af]?", arch)
    )
    return DeviceCode(archs=readable, source=source, of=of) if readable else None


def _likely_code(framework: Framework, matrix: Matrix) -> LikelyCode | None:
    row = matrix_build(framework, matrix, None) if framework.name == "jax-cuda-plugin" else None
    return likely_code(row, matrix.jax_builds()) if isinstance(row, JaxBuild) else None


def possible_code(framework: Framework, matrix: Matrix) -> DeviceCode | None:
    """All that a build of torch nobody lists can contain: what the compiler of its CUDA compiles for."""
    if framework.name != "torch" or framework.cuda is None or framework.archs:
        return None
    toolkit = matrix.toolkit(framework.cuda)
    if toolkit is None or not toolkit.capabilities:
        return None
    archs = tuple(f"sm_{one.major}{one.minor}" for one in toolkit.capabilities)
    source = Source(kind="matrix", where=toolkit.source)
    return DeviceCode(archs=archs, source=source, of=f"CUDA {framework.cuda} compiles for")


def index_code(
    framework: Framework, packages: Packages | Gap | None, matrix: Matrix, host: System | Gap | None
) -> DeviceCode | None:
    """What PyTorch's own wheel of that release and CUDA has, where the installed torch is one and does not say it.

    Older wheels name their CUDA without a tag. Of those for Windows before 1.9 no list is known: what CUDA's makers
    served then, the ones for Linux show. None for one of conda-forge or of unknown origin.
    """
    version, cuda = framework.version or "", framework.cuda
    if framework.name != "torch" or framework.variant != "cuda" or framework.archs or cuda is None:
        return None
    if "+" not in version and not _is_of_pytorch(packages):
        return None
    row = matrix.torch_build(version if "+" in version else f"{version}+cu{cuda.major}{cuda.minor}")
    platform = wheel_platform(host) or ""
    other = "linux-x86_64" if platform == "windows-x86_64" else ""
    archs = (row.archs.get(platform) or row.archs.get(other, ())) if row and platform in row.platforms else ()
    if row is None or not archs:
        return None
    of = "PyTorch's own build" if platform in row.archs else "PyTorch's build for Linux"
    source = Source(kind="matrix", where=row.source)
    return DeviceCode(archs=archs, source=source, of=f"{of} of that release for CUDA {cuda} has code for")


def _is_of_pytorch(packages: Packages | Gap | None) -> bool:
    """PyTorch's makers built it: a wheel, or conda's of their channel, or older than the first of conda-forge."""
    found = (packages.find(name) for name in ("torch", "pytorch")) if isinstance(packages, Packages) else ()
    package = next((one for one in found if one is not None), None)
    if package is None or package.installer != "conda":
        return package is not None
    numbers = release_numbers(package.version)
    return package.channel == "pytorch" or (package.channel is None and numbers is not None and numbers < CONDA_FORGE)


def _archs_of_matrix(framework: Framework, matrix: Matrix, platform: str | None) -> tuple[tuple[str, ...], Source]:
    row = matrix_build(framework, matrix, platform)
    source = Source(kind="matrix", where=row.source if row else "")
    if isinstance(row, TorchBuild):
        # Where the system was not seen: what any of its wheels has code for.
        of_all = tuple(dict.fromkeys(arch for archs in row.archs.values() for arch in archs))
        return of_all if platform is None else row.archs.get(platform, ()), source
    return (row.archs if row else None) or (), source


def matrix_build(
    framework: Framework, matrix: Matrix, platform: str | None
) -> TorchBuild | TensorflowBuild | JaxBuild | None:
    """The matrix's row for exactly this build (release, CUDA, distribution), if it knows it."""
    if framework.version is None:
        return None
    if framework.name == "torch":
        return matrix.torch_build(framework.version) if "+" in framework.version else None
    if framework.name == "tensorflow" and platform is not None:
        rows = matrix.tensorflow_builds(framework.version, platform, framework.dist or "tensorflow")
        return next((row for row in rows if row.build == "gpu"), None)
    if framework.name == "jax-cuda-plugin" and framework.cuda is not None:
        variant = f"cuda{framework.cuda.major}"
        return next((row for row in matrix.jax_builds(framework.version) if row.variant == variant), None)
    return None


def services(code: DeviceCode, cuda: CudaVersion | None, gpus: Gpus, matrix: Matrix) -> tuple[Service, ...]:
    """How the code serves each NVIDIA GPU that programs get to see, if its capability is known."""
    known = ((gpu, matrix.capability(gpu)) for gpu in usable(gpus))
    return tuple(
        Service(gpu=gpu, capability=capability, coverage=coverage(code.archs, capability, cuda))
        for gpu, capability in known
        if capability is not None
    )


def ptx_does_not_help(framework: Framework, capability: Capability, matrix: Matrix) -> bool:
    """TensorFlow's PTX, which does not serve Blackwell, or torch's cuBLAS and cuDNN, all older than the GPU."""
    if ptx_is_refused(framework.name, framework.version, capability):
        return True
    return framework.name == "torch" and framework.cuda is not None and matrix.predates(framework.cuda, capability)


def built_for_cuda(frameworks: Frameworks) -> tuple[Framework, ...]:
    """The frameworks with kernels of their own that were built for CUDA."""
    found = (frameworks.get(name) for owners in gpu_code_owners().values() for name in owners)
    return tuple(framework for framework in found if framework is not None and framework.variant == "cuda")


def needed_cudnn(framework: Framework, matrix: Matrix, host: System | Gap | None) -> LibraryVersion | None:
    """The cuDNN a build was compiled with: as its own files say, else the matrix."""
    own = LibraryVersion.parse(framework.cudnn) if framework.cudnn else None
    if own is not None and "." in own.text:
        return own
    row = matrix_build(framework, matrix, wheel_platform(host))
    return LibraryVersion.parse(row.cudnn) if row and row.cudnn else None


def driver_os(host: System | Gap | None, container: Container | Gap | None) -> Os | None:
    """The system whose driver serves the GPU: under WSL that is Windows."""
    if isinstance(container, Container) and container.wsl is not None:
        return "windows"
    if isinstance(host, System) and host.os in ("linux", "windows"):
        return host.os
    return None


def release_of(version: str) -> str:
    """A version without its local tag: 2.6.0+cu124 is 2.6.0."""
    return version.partition("+")[0]


def release_numbers(version: str | None) -> tuple[int, ...] | None:
    """The numbers of a version, for comparisons: 2.6.0rc1+cu124 is (2, 6, 0); None where it is not a version."""
    parsed = package_version(version) if version else None
    return parsed.release if parsed else None


def dotted(version: str | None) -> str | None:
    """The numbers of a version alone, 2.6.0 of 2.6.0rc1+cu124; None where it is not a version."""
    numbers = release_numbers(version)
    return ".".join(str(number) for number in numbers) if numbers else None


def is_conda(packages: Packages | Gap | None, *names: str) -> bool:
    """One of these distributions was installed by conda."""
    if not isinstance(packages, Packages):
        return False
    found = (packages.find(name) for name in names)
    return any(package is not None and package.installer == "conda" for package in found)


def in_words(names: Iterable[str]) -> str:
    """Names for a sentence: a, b and c."""
    words = list(names)
    return "".join(words) if len(words) < 2 else f"{', '.join(words[:-1])} and {words[-1]}"


def gpu_names(gpus: Gpus) -> str:
    """The NVIDIA GPUs of a machine for a sentence: equal ones are counted."""
    labels = [gpu.name or "the NVIDIA GPU" for gpu in gpus.nvidia]
    counted = {label: labels.count(label) for label in labels}
    return in_words(f"{label} (x{count})" if count > 1 else label for label, count in counted.items())


def is_jetson(host: System | Gap | None) -> bool:
    """An NVIDIA Jetson: its frameworks come from NVIDIA, not from the package index."""
    return isinstance(host, System) and host.tegra is not None
