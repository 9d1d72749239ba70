"""Whether a build's device code runs on a GPU: binary and PTX compatibility.

Sources: CUDA C++ Programming Guide, "Binary Compatibility", "PTX Compatibility" and "Feature Set Compiler Targets",
docs.nvidia.com/cuda/cuda-c-programming-guide; torch/cuda/__init__.py of torch 2.15.0, DEVICE_REQUIREMENT.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import Capability, CudaVersion
from gpudoctor.knowledge.matrix.types import JaxBuild
from gpudoctor.knowledge.milestones import milestone, numbers_of
from gpudoctor.tables import rows_of

#: native: machine code for it is inside. ptx: only PTX, which the driver must compile. none: nothing that runs.
Coverage = Literal["native", "ptx", "none"]

#: Capabilities of Tegra chips (Jetson): binary compatibility is promised for discrete GPUs only, neither among Tegra
#: chips nor between the two kinds.
TEGRA = frozenset({(3, 2), (5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0)})
#: Code built with CUDA from this version on runs on Orin and Xavier too (torch's DEVICE_REQUIREMENT).
TEGRA_JOINS = CudaVersion(milestone("cuda-tegra-joins"))
#: Blackwell: from here on the PTX in most of TensorFlow's wheels does not help.
TENSORFLOW_PTX_ENDS = Capability("10.0")
#: In wheels of 2.16.1, 2.16.2, 2.17.1, 2.18.1, 2.19.1 and 2.20.0 the PTX of 1149 of some 1500 kernels (those that MLIR
#: generates) is for sm_90a, though labelled compute_90; in 2.15.1 for sm_80, in 2.21.0 and 2.22.0rc0 for sm_90 (scan,
#: 2026-11). The driver refuses it: CUDA_ERROR_INVALID_PTX, then CUDA_ERROR_INVALID_HANDLE, as issues 89272, 90291,
#: 97387, 99592 and 101746 of github.com/tensorflow/tensorflow show.
FOR_ONE_GPU = numbers_of("tensorflow-ptx-for-one-gpu")
#: The release in which it works: github.com/remote-worker-prof/edu-ai-math-essentials themes/00-Foundations/guides/07
#: (RTX 5070 Ti: 2.19.1 fails, 2.21.0 trains), github.com/rlogwood/gpu_tests (RTX 5080; nightly build of 2025-11-26).
WORKS = numbers_of("tensorflow-ptx-works")
FIRST_NIGHTLY = "20251124"

Target = tuple[str, tuple[int, int], str]


@lru_cache(maxsize=256)
def _target(arch: str) -> Target | None:
    """Kind, capability and suffix of "sm_90a"; None for what is no CUDA architecture."""
    match = re.fullmatch(r"\s*(sm|compute)_(\d+)(\d)([af]?)\s*", arch)
    return (match.group(1), (int(match.group(2)), int(match.group(3))), match.group(4)) if match else None


def coverage(archs: Iterable[str], capability: Capability, cuda: CudaVersion | None = None) -> Coverage:
    """How code for `archs` ("sm_86", "sm_90a", "compute_90"), built with `cuda`, serves a GPU.

    A cubin serves GPUs of the same major and a minor not below its own; an `a` suffix (sm_90a) serves that capability
    only, an `f` suffix (sm_100f) the same major like a plain cubin. PTX serves every capability not below it, with the
    same exception for suffixes. Tegra chips take cubins made for them, and PTX.
    """
    best: Coverage = "none"
    for arch in archs:
        target = _target(arch)
        if target is None or not _serves(target, capability, cuda):
            continue
        if target[0] == "sm":
            return "native"
        best = "ptx"
    return best


class Refusal(NamedTuple):
    """Why PTX does not help although it is made to, and whether that was measured in the files."""

    reason: str
    measured: bool = False


def ptx_is_refused(framework: str, version: str | None, capability: Capability) -> Refusal | None:
    """Why the PTX in a build of a framework does not serve a GPU of a later generation; None if it does.

    Of TensorFlow up to 2.15 there is a report with an RTX 5090 (github.com/juglab/cryoCARE_pip/issues/69); cuDNN has
    code for Blackwell since 9.7. From 2.22 on LLVM no longer raises the version of the PTX that XLA writes by itself
    (github.com/llvm/llvm-project/pull/177459): "PTX version 8.5 does not support target 'sm_120'"
    (github.com/tensorflow/tensorflow/issues/111958). PTX for 10.0 begins with version 8.6, for 12.0 with 8.7.
    """
    if framework != "tensorflow" or capability < TENSORFLOW_PTX_ENDS:
        return None
    match = re.match(r"(\d+)\.(\d+)", version or "")
    line = (int(match.group(1)), int(match.group(2))) if match else FOR_ONE_GPU
    nightly = re.search(r"dev(\d{8})", version or "")
    if line < FOR_ONE_GPU:
        return Refusal("the cuDNN it is made for has no code for such a GPU")
    if line > WORKS:
        return Refusal("its XLA writes PTX of version 8.5, and such a GPU needs 8.6 or newer")
    if line == WORKS and (nightly is None or nightly.group(1) >= FIRST_NIGHTLY):
        return None
    is_release = match is not None and re.search(r"dev|rc", version or "") is None
    return Refusal("most of it is for compute capability 9.0 alone (sm_90a)", measured=is_release)


def _serves(target: Target, gpu: Capability, cuda: CudaVersion | None) -> bool:
    kind, made_for, suffix = target
    device = (gpu.major, gpu.minor)
    if suffix == "a" or made_for == device:
        return made_for == device
    if kind == "compute" and not suffix:
        return made_for <= device
    mixes = (made_for in TEGRA or device in TEGRA) and (cuda is None or cuda < TEGRA_JOINS)
    return made_for[0] == device[0] and made_for[1] <= device[1] and (kind == "compute" or not mixes)


class LikelyCode(Fact, frozen=True, kw_only=True):
    """What the nearest releases with the same extra have in common, and which they are."""

    archs: tuple[str, ...]
    neighbours: tuple[str, ...]

    @property
    def words(self) -> str:
        """For a sentence: 0.12.0; 0.7.2 and 0.10.2."""
        return " and ".join(self.neighbours)


def likely_code(build: JaxBuild, rows: Iterable[JaxBuild]) -> LikelyCode | None:
    """Of a release without architectures, given the table, newest first; None where no release of the extra has any."""
    same = [row for row in rows if row.variant == build.variant]
    here = next((index for index, row in enumerate(same) if row.version == build.version), None)
    if build.archs or here is None:
        return None
    newer = next((row for row in reversed(same[:here]) if row.archs), None)
    older = next((row for row in same[here:] if row.archs), None)
    known = [row for row in (older, newer) if row is not None]
    if not known:
        return None
    archs = tuple(arch for arch in known[0].archs or () if all(arch in (row.archs or ()) for row in known))
    return LikelyCode(archs=archs, neighbours=tuple(row.version for row in known))


@lru_cache(maxsize=1)
def _rows() -> dict[str, str]:
    return {row[0]: row[1] for row in rows_of("knowledge/ptx")}


def cuda_of_ptx(version: str) -> CudaVersion | None:
    """The first CUDA that reads that PTX; None where it is not known."""
    return CudaVersion.parse(_rows().get(version, ""))
