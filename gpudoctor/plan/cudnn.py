"""Which cuDNN a build brings, and which older one to install where the newest has no code for a GPU.

A cuDNN release ends support for GPUs that the framework itself still has code for. torch pins one cuDNN; TensorFlow
from 2.20 on and JAX give a range, of which pip takes the newest (package metadata, 2026-11).
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from gpudoctor.facts.versions import Capability, LibraryVersion, package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Cudnn, JaxBuild, Release, TensorflowBuild, TorchBuild
from gpudoctor.plan.builds import JAX_EXTRAS, Build
from gpudoctor.plan.specifiers import meets


def cudnn_asked_for(build: Build) -> str | None:
    """The specifier by which a build asks for NVIDIA's cuDNN; None: not known, or it brings none."""
    row = build.row
    if build.processor != "cuda":
        return None
    if isinstance(row, TorchBuild):
        return f"=={row.cudnn}" if row.cudnn else None
    if isinstance(row, TensorflowBuild):
        asked = (re.fullmatch(r"nvidia-cudnn-cu\d+([<>=~!].*)", requirement) for requirement in row.and_cuda)
        return next((match[1] for match in asked if match), None)
    if isinstance(row, JaxBuild) and row.variant in JAX_EXTRAS and row.cudnn:
        return f">={row.cudnn},<{int(row.cudnn.split('.')[0]) + 1}"
    return None


def oldest_gpu_of_cudnn(build: Build, matrix: Matrix) -> Capability | None:
    """The oldest GPU that a cuDNN which the build admits has code for; None: not known."""
    asked = cudnn_asked_for(build)
    if asked is None or build.cuda is None:
        return None
    return _oldest_gpu(build.cuda.major, asked, build.platform, matrix)


@lru_cache(maxsize=256)
def _oldest_gpu(major: int, asked: str, platform: str | None, matrix: Matrix) -> Capability | None:
    floors = [_floor(major, version, matrix) for version in _admitted(major, asked, platform, matrix)]
    return min((floor for floor in floors if floor is not None), default=None)


def cudnn_pins(build: Build, gpus: Iterable[Capability], matrix: Matrix) -> tuple[str, ...]:
    """What to ask pip for besides the build so that its cuDNN serves these GPUs: nvidia-cudnn-cu12==9.10.2.21."""
    asked = cudnn_asked_for(build)
    oldest = min(gpus, default=None)
    if asked is None or asked.startswith("==") or build.cuda is None or oldest is None:
        return ()
    pin = newest_cudnn_for(build.cuda.major, asked, oldest, build.platform, matrix)
    return (f"nvidia-cudnn-cu{build.cuda.major}=={pin}",) if pin else ()


@lru_cache(maxsize=256)
def newest_cudnn_for(major: int, asked: str, gpu: Capability, platform: str | None, matrix: Matrix) -> str | None:
    """The newest cuDNN within a specifier with code for a GPU, where a plain install gives another; else None."""
    admitted = _admitted(major, asked, platform, matrix)
    fit = [one for one in admitted if (floor := _floor(major, one, matrix)) is not None and floor <= gpu]
    return fit[0] if fit and fit[0] != admitted[0] else None


def _admitted(major: int, asked: str, platform: str | None, matrix: Matrix) -> tuple[str, ...]:
    """Releases within a specifier, newest first; one that no index has where it is the only one asked for."""
    found = {
        version
        for row in matrix.table("releases")
        if isinstance(row, Release) and row.package == f"nvidia-cudnn-cu{major}" and not row.yanked
        if (platform is None or platform in row.wheels)
        for version in row.versions
        if meets(version, asked)
    }
    if not found and asked.startswith("=="):
        return (asked[2:],)
    return tuple(sorted(found, key=lambda text: package_version(text) or 0, reverse=True))


def _floor(major: int, version: str, matrix: Matrix) -> Capability | None:
    parsed = LibraryVersion.parse(version)
    row = cudnn_release(matrix, major, parsed) if parsed is not None else None
    return row.min_capability if row is not None else None


def cudnn_release(matrix: Matrix, cuda_major: int, version: LibraryVersion) -> Cudnn | None:
    """What is known of a cuDNN; of one newer than all known, the newest: support that ended does not return."""
    row, newest = matrix.cudnn(cuda_major, version), matrix.cudnn(cuda_major)
    if row is not None or newest is None:
        return row
    return newest if version > LibraryVersion(newest.cudnn) else None
