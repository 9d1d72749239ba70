"""The ptxas that XLA, the compiler in JAX and TensorFlow, calls."""

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import CudaVersion, LibraryVersion
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Packages, Toolkits

#: Up to here reports show JAX calling a ptxas of PATH. For newer releases that is not known, so they are not judged.
LAST_WITH_PTXAS_OF_PATH = numbers_of("jax-ptxas-of-path-ends")
#: NVIDIA's packages with ptxas in them.
NVCC_PACKAGES = ("nvidia-cuda-nvcc", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc-cu11")
CONDA_PACKAGES = ("cuda-nvcc", "cuda-nvcc-tools", "cuda-nvcc-impl", "cuda-toolkit", "cudatoolkit-dev")


class Ptxas(Fact, frozen=True, kw_only=True):
    """A ptxas: its path or package, and its version."""

    where: str
    version: LibraryVersion

    @property
    def cuda(self) -> CudaVersion:
        """The CUDA version it belongs to."""
        return CudaVersion(f"{self.version.major}.{self.version.minor}")


def jax_kernels(frameworks: Frameworks) -> Framework | None:
    """The part of JAX that drives the GPU."""
    parts = (frameworks.get("jax-cuda-plugin"), frameworks.get("jaxlib"))
    return next((part for part in parts if part is not None and part.variant == "cuda"), None)


def calls_ptxas_of_path(jax: Framework) -> bool:
    """Whether that release is known to take the ptxas of PATH before its own."""
    numbers = release_numbers(jax.version)
    return numbers is not None and numbers <= LAST_WITH_PTXAS_OF_PATH


def ptxas_on_path(toolkits: Toolkits | Gap | None) -> Ptxas | None:
    """The ptxas of PATH, with its own version, else that of the toolkit it lies in."""
    if not isinstance(toolkits, Toolkits) or toolkits.ptxas_on_path is None:
        return None
    path = toolkits.ptxas_on_path
    around = [one for one in toolkits.found if path.startswith((f"{one.root}/", f"{one.root}\\"))]
    home = max(around, key=lambda one: len(one.root), default=None)
    stated = toolkits.ptxas_version or (home and (home.full_version or (home.version and home.version.text)))
    version = LibraryVersion.parse(stated)
    return Ptxas(where=path, version=version) if version is not None else None


def ptxas_of_packages(packages: Packages | Gap | None) -> Ptxas | None:
    """The ptxas that one of NVIDIA's Python packages brings."""
    found = (packages.find(name) for name in NVCC_PACKAGES) if isinstance(packages, Packages) else ()
    for package in found:
        version = LibraryVersion.parse(package.version) if package is not None else None
        if package is not None and version is not None:
            return Ptxas(where=f"package {package.name}", version=version)
    return None
