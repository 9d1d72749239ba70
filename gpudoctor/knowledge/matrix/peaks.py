"""Peak rates of a GPU, and the rates measured on healthy ones, by the driver's name for it."""

from gpudoctor.knowledge.matrix.gpu_types import GpuPeaks, GpuReference
from gpudoctor.knowledge.matrix.gpus import plain_name
from gpudoctor.knowledge.matrix.query import Matrix


def peaks(matrix: Matrix, name: str) -> GpuPeaks | None:
    """The memory and peak rates of a product, by its name; None is not known.

    Reads a table that judgements do not need. Raises MatrixUnreadable.
    """
    wanted = plain_name(name)
    rows: tuple[GpuPeaks, ...] = matrix.table("gpu_peaks")
    return next((row for row in rows if plain_name(row.name) == wanted), None)


def reference(matrix: Matrix, name: str) -> GpuReference | None:
    """What a healthy GPU of that product was measured to do, by its name; None is not known.

    Reads a table that a check without a measurement does not need. Raises MatrixUnreadable.
    """
    wanted = plain_name(name)
    rows: tuple[GpuReference, ...] = matrix.table("gpu_reference")
    return next((row for row in rows if plain_name(row.name) == wanted), None)
