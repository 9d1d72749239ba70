"""Does a build run on a GPU? Binary and PTX compatibility of CUDA device code.

Source: CUDA C++ Programming Guide, "Binary Compatibility" and "PTX Compatibility",
docs.nvidia.com/cuda/cuda-c-programming-guide.
"""

import re
from collections.abc import Iterable
from typing import Literal

from gpudoctor.model.versions import Capability

#: native: machine code for it is inside. ptx: only PTX, which the driver must compile. none: nothing that runs.
Coverage = Literal["native", "ptx", "none"]


def coverage(archs: Iterable[str], capability: Capability) -> Coverage:
    """How code for `archs` ("sm_86", "sm_90a", "compute_90") serves a GPU.

    A cubin serves GPUs of the same major and a minor not below its own; an `a` suffix (sm_90a) serves that capability
    only, an `f` suffix (sm_100f) the same major like a plain cubin. PTX serves every capability not below it, with the
    same exception for suffixes.
    """
    best: Coverage = "none"
    for arch in archs:
        match = re.fullmatch(r"(sm|compute)_(\d+)(\d)([af]?)", arch.strip())
        if match is None:
            continue
        kind, major, minor, suffix = match.group(1), int(match.group(2)), int(match.group(3)), match.group(4)
        same_major = major == capability.major and minor <= capability.minor
        if suffix == "a":
            serves = (major, minor) == (capability.major, capability.minor)
        elif kind == "sm" or suffix == "f":
            serves = same_major
        else:
            serves = (major, minor) <= (capability.major, capability.minor)
        if serves and kind == "sm":
            return "native"
        if serves:
            best = "ptx"
    return best
