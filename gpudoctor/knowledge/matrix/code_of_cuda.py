"""Whether a CUDA release's own compiler and libraries support a GPU."""

from gpudoctor.facts.versions import Capability, CudaVersion
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Toolkit


def has_code(cuda: CudaVersion, gpu: Capability, matrix: Matrix) -> bool | None:
    """Of a release; None is not known."""
    row = matrix.toolkit(cuda)
    return _serves(row, gpu) if row is not None and row.capabilities else None


def always_has_code(major: int, gpu: Capability, matrix: Matrix) -> bool:
    """Of each known release of a CUDA major."""
    rows: tuple[Toolkit, ...] = tuple(row for row in matrix.table("cuda_arch") if isinstance(row, Toolkit))
    known = [row for row in rows if row.cuda.major == major and row.capabilities]
    return bool(known) and all(_serves(row, gpu) for row in known)


def _serves(row: Toolkit, gpu: Capability) -> bool:
    return any(one.major == gpu.major and one <= gpu for one in row.capabilities)
