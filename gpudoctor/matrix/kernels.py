"""Does a build run on a GPU? Binary and PTX compatibility of CUDA device code.

Sources: CUDA C++ Programming Guide, "Binary Compatibility", "PTX Compatibility" and "Feature Set Compiler Targets",
docs.nvidia.com/cuda/cuda-c-programming-guide; torch/cuda/__init__.py of torch 2.15.0, DEVICE_REQUIREMENT.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from gpudoctor.model.versions import Capability, CudaVersion

#: native: machine code for it is inside. ptx: only PTX, which the driver must compile. none: nothing that runs.
Coverage = Literal["native", "ptx", "none"]

#: Capabilities of Tegra chips (Jetson): binary compatibility is promised for discrete GPUs only, neither among Tegra
#: chips nor between the two kinds.
TEGRA = frozenset({(3, 2), (5, 3), (6, 2), (7, 2), (8, 7), (10, 1), (11, 0)})
#: Code built with CUDA from this version on runs on Orin and Xavier too (torch's DEVICE_REQUIREMENT).
TEGRA_JOINS = CudaVersion("13.2")
#: From this capability on the driver refuses part of the PTX in TensorFlow's wheels: CUDA_ERROR_INVALID_PTX, then
#: CUDA_ERROR_INVALID_HANDLE. All reports of 2.16 to nightly builds of 2.21 on GeForce RTX 50 cards end so:
#: github.com/tensorflow/tensorflow issues 89272, 90291, 97387, 99592, 101746.
TENSORFLOW_PTX_ENDS = Capability("12.0")

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


def ptx_is_refused(framework: str, capability: Capability) -> bool:
    """The PTX in this framework's builds does not serve such a GPU, although PTX is made to."""
    return framework == "tensorflow" and capability >= TENSORFLOW_PTX_ENDS


def _serves(target: Target, gpu: Capability, cuda: CudaVersion | None) -> bool:
    kind, made_for, suffix = target
    device = (gpu.major, gpu.minor)
    if suffix == "a" or made_for == device:
        return made_for == device
    if kind == "compute" and not suffix:
        return made_for <= device
    mixes = (made_for in TEGRA or device in TEGRA) and (cuda is None or cuda < TEGRA_JOINS)
    return made_for[0] == device[0] and made_for[1] <= device[1] and (kind == "compute" or not mixes)
