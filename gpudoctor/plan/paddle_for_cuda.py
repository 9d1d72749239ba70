"""The build of PaddlePaddle for a CUDA: of the major release that is there, where it has one, else the newest."""

from typing import NamedTuple

from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import Capability, CudaVersion
from gpudoctor.knowledge.frameworks import descriptor
from gpudoctor.knowledge.matrix.kernels import coverage
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import FrameworkBuild
from gpudoctor.plan.places import nvidia_gpus, wheel_platform

#: In builds.json: the build on the package index, which needs no other.
_ON_INDEX = "plain"


class Build(NamedTuple):
    """What to ask pip for, the address of the index that has it, and the CUDA that it was built with."""

    wanted: str
    address: str | None
    cuda: CudaVersion


def paddle_for_cuda(cuda: CudaVersion, release: str | None, scene: Scene, matrix: Matrix) -> Build | None:
    """The build of the lowest CUDA of that major, as a driver of the major serves it. `release`: what is stated."""
    newest = matrix.newest("paddle")
    kept = _last_of_major(release, matrix) if release else None
    # Of an earlier major release only the package index has what this table knows the address of.
    own = [one for one in _rows(kept, cuda, scene, matrix) if one.variant == _ON_INDEX] if kept != newest else []
    rows = own or [one for one in _rows(newest, cuda, scene, matrix) if one.variant != _ON_INDEX]
    known = descriptor("paddle")
    if not rows or known is None or known.index is None:
        return None
    row = min(rows, key=lambda one: one.cuda or cuda)
    index = None if row.variant == _ON_INDEX else known.index.format(tag=row.variant)
    return Build(f"{row.package}=={row.version}", index, row.cuda or cuda)


def _last_of_major(release: str, matrix: Matrix) -> str | None:
    major = release.partition(".")[0]
    rows = matrix.framework_builds("paddle")
    same = {one.version for one in rows if one.version.partition(".")[0] == major}
    return max(same, key=lambda one: [int(part) for part in one.split(".")], default=None)


def _rows(version: str | None, cuda: CudaVersion, scene: Scene, matrix: Matrix) -> list[FrameworkBuild]:
    """Builds of a release for that CUDA's major that are for this system and have code for its GPUs."""
    platform = wheel_platform(scene.host) or (f"{scene.os}-x86_64" if scene.os in ("linux", "windows") else None)
    known = [matrix.capability(gpu) or gpu.capability for gpu in nvidia_gpus(scene)]
    gpus = [one for one in known if one is not None]
    rows = matrix.framework_builds("paddle", version) if version else ()
    return [
        one
        for one in rows
        if one.cuda and one.cuda.major == cuda.major
        if platform is None or _is_for(one, platform)
        if all(_has_code(one, gpu) for gpu in gpus)
    ]


def _is_for(build: FrameworkBuild, platform: str) -> bool:
    """Its platforms; the package index has the same build for Windows.

    paddle/version/__init__.py in paddlepaddle_gpu-2.6.2-cp310-cp310-win_amd64.whl: CUDA 11.8, cuDNN 8.6.0 (2026-11-27).
    """
    is_on_index = build.variant == _ON_INDEX and platform in ("linux-x86_64", "windows-x86_64")
    return not build.platforms or platform in build.platforms or is_on_index


def _has_code(build: FrameworkBuild, gpu: Capability) -> bool:
    """As far as is known."""
    if build.archs is not None:
        return coverage(build.archs, gpu) != "none"
    return build.min_capability is None or build.min_capability <= gpu
