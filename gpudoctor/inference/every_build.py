"""A stated release of which no CUDA build supports the GPU: judged whichever build is installed."""

from msgspec import structs

from gpudoctor.facts.base import Source
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Framework
from gpudoctor.facts.versions import Capability, CudaVersion
from gpudoctor.knowledge.matrix.kernels import coverage
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TensorflowBuild, TorchBuild


def as_any_build(one: Framework, gpus: Gpus, matrix: Matrix) -> Framework:
    """The stated framework as its newest build for CUDA, where no build for CUDA has code for any of the GPUs."""
    capabilities = [known for gpu in gpus.nvidia if (known := matrix.capability(gpu))]
    unknown = one.archs is None and one.variant in (None, "cuda") and "+" not in (one.version or "+")
    if not unknown or not capabilities or len(capabilities) < len(gpus.devices):
        return one
    builds = _builds(one, matrix)
    if not builds or any(_may_run(row, capability, matrix) for row in builds for capability in capabilities):
        return one
    newest = max(builds, key=lambda row: row.cuda or 0)
    codes = tuple(dict.fromkeys(arch for row in builds for archs in _codes(row) for arch in archs))
    where = Source(kind="matrix", where=newest.source)
    return structs.replace(one, variant="cuda", cuda=newest.cuda, archs=codes or None, archs_source=where)


def _builds(one: Framework, matrix: Matrix) -> tuple[TorchBuild | TensorflowBuild, ...]:
    if one.name == "torch":
        return tuple(row for row in matrix.torch_builds(one.version) if row.cuda)
    if one.name == "tensorflow":
        return tuple(row for row in matrix.tensorflow_builds(one.version) if row.cuda)
    return ()


def _may_run(row: TorchBuild | TensorflowBuild, capability: Capability, matrix: Matrix) -> bool:
    """Unless its code, or the libraries of its CUDA, are known to be older or newer than the GPU."""
    if row.cuda is not None and (matrix.predates(row.cuda, capability) or _has_dropped(row.cuda, capability, matrix)):
        return False
    codes = _codes(row)
    return not codes or any(coverage(archs, capability, row.cuda) != "none" for archs in codes)


def _has_dropped(cuda: CudaVersion, capability: Capability, matrix: Matrix) -> bool:
    """A CUDA, with its compiler and libraries, begins at a newer GPU."""
    toolkit = matrix.toolkit(cuda)
    return toolkit is not None and bool(toolkit.capabilities) and capability < min(toolkit.capabilities)


def _codes(row: TorchBuild | TensorflowBuild) -> tuple[tuple[str, ...], ...]:
    """The architectures in its wheels, one for each platform."""
    listed = row.archs.values() if isinstance(row, TorchBuild) else (row.archs,)
    return tuple(archs for archs in listed if archs)
