"""The CUDA that a version of PTX, the code that drivers compile, came with."""

import os
from functools import lru_cache

from gpudoctor.facts.versions import CudaVersion

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ptx.tsv")


@lru_cache(maxsize=1)
def _rows() -> dict[str, str]:
    with open(_FILE, encoding="utf-8") as stream:
        return dict(line.rstrip("\n").split("\t") for line in stream if not line.startswith("#"))


def cuda_of_ptx(version: str) -> CudaVersion | None:
    """The first CUDA that reads that PTX; None where it is not known."""
    return CudaVersion.parse(_rows().get(version, ""))
