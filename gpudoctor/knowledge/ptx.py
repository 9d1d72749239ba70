"""The CUDA that a version of PTX, the code that drivers compile, came with."""

from functools import lru_cache

from gpudoctor.facts.versions import CudaVersion
from gpudoctor.tables import rows_of


@lru_cache(maxsize=1)
def _rows() -> dict[str, str]:
    return {row[0]: row[1] for row in rows_of("knowledge/ptx")}


def cuda_of_ptx(version: str) -> CudaVersion | None:
    """The first CUDA that reads that PTX; None where it is not known."""
    return CudaVersion.parse(_rows().get(version, ""))
