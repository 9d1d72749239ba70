"""The oldest driver that takes what torch.compile makes: Triton's ptxas belongs to a CUDA of its own.

Source: https://github.com/pytorch/pytorch/issues/119054 and 119750; the assemblers in Triton's wheels.
"""

from collections.abc import Iterable

from gpudoctor.facts.versions import Capability, CudaVersion, package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import DriverFloor, TorchBuild
from gpudoctor.knowledge.milestones import numbers_of

#: PyTorch for CUDA 11.8 brings an assembler of that CUDA from here on (pytorch/pytorch#119750).
FIRST_WITH_PTXAS = numbers_of("torch-own-assembler")


def brings_ptxas(torch: str | None, cuda: CudaVersion | None) -> bool:
    """Whether a build of PyTorch has an assembler of its own CUDA, which Triton then takes."""
    release = package_version(torch or "")
    return cuda is not None and cuda.major == 11 and release is not None and release.release >= FIRST_WITH_PTXAS


def assembler_floor(
    triton: str, capabilities: Iterable[Capability], matrix: Matrix
) -> tuple[Capability, CudaVersion, DriverFloor] | None:
    """Of some GPUs the one whose code asks for the newest driver, the CUDA of its assembler, that driver (Linux)."""
    found = []
    for capability in capabilities:
        ptxas = matrix.triton_assembler(triton, capability)
        floor = matrix.family_floor(ptxas, "linux") if ptxas is not None else None
        if ptxas is not None and floor is not None:
            found.append((capability, ptxas, floor))
    return max(found, key=lambda one: one[2].release, default=None)


def compile_floor(
    build: TorchBuild, capabilities: Iterable[Capability], matrix: Matrix
) -> tuple[Capability, CudaVersion, DriverFloor] | None:
    """The same for the Triton that a build of PyTorch asks for; None: not known, or it brings its own assembler."""
    if build.triton is None or brings_ptxas(build.version, build.cuda):
        return None
    return assembler_floor(build.triton.lstrip("=~<>!"), capabilities, matrix)
