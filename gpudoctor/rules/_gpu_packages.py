"""NVIDIA's CUDA libraries as Python packages (nvidia-cublas-cu12 …): names and CUDA majors."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Framework, Frameworks, Package, Packages
from gpudoctor.sources.library_names import DISTS

#: From CUDA 13 on most names have no suffix any more; cuDNN, NCCL, cuSPARSELt and NVSHMEM keep theirs.
_SUFFIX = re.compile(r"nvidia-[a-z0-9-]+-cu(1[0-9])")
#: The CUDA runtime's own version is the CUDA version; other libraries count on their own.
_PLAIN = re.compile(r"nvidia-(?:cublas|cuda-[a-z]+|cufft|curand|cusolver|cusparse|nvjitlink)")

#: NVIDIA has no packages of libraries for an older CUDA (compat/releases.json).
FIRST_WHEELS = 11
#: Libraries that no framework lacks by itself.
_OF_OTHERS = frozenset({"cufile", "cutensor", "nvtx", "tensorrt"})


def is_cuda_package(name: str) -> bool:
    """One of NVIDIA's library packages."""
    return cuda_major_of(name) is not None


def cuda_major_of(name: str) -> int | None:
    """The CUDA major of a library package: 12 of nvidia-cudnn-cu12, 13 of nvidia-cublas; None for other packages."""
    match = _SUFFIX.fullmatch(name)
    if match:
        return int(match.group(1))
    return 13 if _PLAIN.fullmatch(name) else None


def cuda_packages(packages: Packages) -> dict[int, tuple[Package, ...]]:
    """NVIDIA's library packages by CUDA major; placeholders (version 0.x) do not count."""
    found: dict[int, list[Package]] = {}
    for package in packages.installed:
        major = cuda_major_of(package.name)
        if major is not None and not package.version.startswith("0."):
            found.setdefault(major, []).append(package)
    return {major: tuple(of_major) for major, of_major in sorted(found.items())}


def users_of(frameworks: Frameworks, cuda_major: int) -> tuple[Framework, ...]:
    """The installed frameworks built for that CUDA major."""
    return tuple(
        one
        for one in frameworks.found
        if one.variant == "cuda" and one.cuda is not None and one.cuda.major == cuda_major
    )


def dist_for(family: str | None, cuda_major: int | None) -> str | None:
    """The package that brings a library: nvidia-cusolver-cu12."""
    family = (family or "").lower()
    base = DISTS.get(family)
    if base is None or family in _OF_OTHERS or cuda_major is None or cuda_major < FIRST_WHEELS:
        return None
    keeps_suffix = base in ("nvidia-cudnn", "nvidia-nccl", "nvidia-cusparselt", "nvidia-nvshmem")
    return f"{base}-cu{cuda_major}" if cuda_major <= 12 or keeps_suffix else base
