"""AMD GPU architectures by product name, and the builds with code for them."""

import re

from gpudoctor.facts.gpus import Gpu
from gpudoctor.knowledge.matrix.offer_types import AmdFamily, AmdGpu, RocmBuild
from gpudoctor.knowledge.matrix.query import Matrix

_USUAL = re.compile(r"\b(?:amd|ati|radeon|instinct|graphics|gpu|accelerator|with|tm|r|\d{1,3} ?gb)\b|[()\s_-]+")
#: The series, which people leave out where the rest means nothing else: 6700xt, W7900, 7840U.
_SERIES = re.compile(r"^(?:rx|pro|ryzen(?:ai)?\d(?:pro)?)")
#: The list of PCI devices names the chip and all products with it: Navi 23 [Radeon RX 6600/6600 XT/6600M].
_LISTED = re.compile(r".*\[([^]]+)\].*")
#: Targets of LLVM (docs/AMDGPUUsage.rst, table of processors), with features behind a colon, as rocminfo writes them.
_GFX = re.compile(
    r"(?:amd )?(gfx(?:60[0-2]|70[0-5]|80[1-5]|810|9(?:0[0-9ac]|4[0-2]|50)|10[13]\d|11[057]\d|12[05]\d))(?::\S*)?"
)


def amd_gpus(name: str, matrix: Matrix) -> tuple[AmdGpu, ...]:
    """The products called so, or of an architecture given as gfx1100; those of one name have one architecture."""
    rows: tuple[AmdGpu, ...] = matrix.table("amd_gpus")
    wanted = name.strip().lower()
    target = _GFX.fullmatch(wanted)
    if target:
        return tuple(row for row in rows if row.gfx == target[1])
    found = [_called(one, rows) for one in _LISTED.sub(r"\1", wanted).split("/")]
    return tuple(dict.fromkeys(row for of_one in found for row in of_one))


def _called(name: str, rows: tuple[AmdGpu, ...]) -> tuple[AmdGpu, ...]:
    plain = _plain(name)
    return tuple(row for row in rows if _plain(row.name) == plain) or tuple(
        row for row in rows if _SERIES.sub("", _plain(row.name)) == plain
    )


def gfx_of(name: str, matrix: Matrix) -> str | None:
    """The architecture of a product, gfx1100, or the one that is named; None where it is not known."""
    target = _GFX.fullmatch(name.strip().lower())
    found = {row.gfx for row in amd_gpus(name, matrix)}
    return target[1] if target else found.pop() if len(found) == 1 else None


def gfx_of_gpu(gpu: Gpu, matrix: Matrix) -> str | None:
    """The architecture that a program told of a GPU, else that of the product; None where neither is known."""
    return gfx_of(gpu.architecture or "", matrix) or gfx_of(gpu.name or "", matrix) or _gfx_of_list(gpu.name, matrix)


def _gfx_of_list(name: str | None, matrix: Matrix) -> str | None:
    """That of one chip, called in pci.ids by its products: Navi 31 [Radeon RX 7900 XT/7900 XTX]."""
    products = re.search(r"\[(.+)\]", name or "")
    known = {gfx_of(one, matrix) for one in products[1].split("/")} - {None} if products else set()
    return known.pop() if len(known) == 1 else None


def rocm_builds(framework: str, matrix: Matrix) -> tuple[RocmBuild, ...]:
    """The builds of a framework for ROCm, newest first."""
    rows: tuple[RocmBuild, ...] = matrix.table("rocm")
    return tuple(row for row in rows if row.framework == framework)


def has_code(row: RocmBuild, gfx: str) -> bool | None:
    """Whether a build and the libraries it brings have code for an architecture; None is not known."""
    return None if row.archs is None else gfx in row.archs and gfx not in row.without_libraries


def family_of(gfx: str, matrix: Matrix) -> AmdFamily | None:
    """Those of which one is built for, and whose code the others run; None: the architecture is of no such family."""
    rows: tuple[AmdFamily, ...] = matrix.table("amd_families")
    return next((row for row in rows if gfx[:-1] == row.family and gfx not in row.not_for), None)


def _plain(name: str) -> str:
    return _USUAL.sub("", name.lower().replace("+", "plus"))
