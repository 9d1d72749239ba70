"""AMD's GPUs and the builds for them: architectures by name, and the builds that have code for them."""

import re

from gpudoctor.knowledge.matrix.offer_types import AmdGpu, RocmBuild
from gpudoctor.knowledge.matrix.query import Matrix

_USUAL = re.compile(r"\b(?:amd|ati|radeon|instinct|graphics|gpu|accelerator|with|tm|r)\b|[()\s_-]+")
_GFX = re.compile(r"gfx[0-9a-f]{3,4}")


def amd_gpus(name: str, matrix: Matrix) -> tuple[AmdGpu, ...]:
    """The products called so, or of an architecture given as gfx1100; those of one name have one architecture."""
    rows: tuple[AmdGpu, ...] = matrix.table("amd_gpus")
    wanted = name.strip().lower()
    if _GFX.fullmatch(wanted):
        return tuple(row for row in rows if row.gfx == wanted)
    return tuple(row for row in rows if _plain(row.name) == _plain(wanted))


def gfx_of(name: str, matrix: Matrix) -> str | None:
    """The architecture of a product, gfx1100; None where it is not known."""
    return next((row.gfx for row in amd_gpus(name, matrix)), None)


def rocm_builds(framework: str, matrix: Matrix) -> tuple[RocmBuild, ...]:
    """The builds of a framework for ROCm, newest first."""
    rows: tuple[RocmBuild, ...] = matrix.table("rocm")
    return tuple(row for row in rows if row.framework == framework)


def has_code(row: RocmBuild, gfx: str) -> bool | None:
    """Whether a build and the libraries it brings have code for an architecture; None is not known."""
    return None if row.archs is None else gfx in row.archs and gfx not in row.without_libraries


def _plain(name: str) -> str:
    return _USUAL.sub("", name.lower().replace("+", "plus"))
