"""What a GPU can do at most, by the name a driver gives it."""

from gpudoctor.matrix.gpus import plain_name
from gpudoctor.matrix.query import Matrix
from gpudoctor.matrix.types import GpuPeaks


def peaks(matrix: Matrix, name: str) -> GpuPeaks | None:
    """The memory and peak rates of a product, with or without "NVIDIA" before its name; None is not known.

    Reads a table that judgements do not need. Raises MatrixUnreadable.
    """
    wanted = plain_name(name)
    rows: tuple[GpuPeaks, ...] = matrix.table("gpu_peaks")
    return next((row for row in rows if plain_name(row.name) == wanted), None)
