"""CUDA libraries that a framework would load although they are of another CUDA major than its own."""

import re

from gpudoctor.facts.base import Fact
from gpudoctor.facts.libraries import Resolution
from gpudoctor.rules._gpu_packages import cuda_major_of
from gpudoctor.rules.builds import built_for_cuda
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Libraries

#: Libraries whose files of one major serve another: their interface has not changed in years, or they count on their
#: own (cuDNN has rules of its own).
INDIFFERENT = ("cudnn", "curand", "nccl", "nvtx", "cuda", "tensorrt", "cusparselt", "cufile", "cutensor", "nvshmem")


class Foreign(Fact, frozen=True, kw_only=True):
    """A library that a framework would load, and the CUDA major it belongs to."""

    framework: Framework
    resolution: Resolution
    major: int


def foreign_libraries(libraries: Libraries | Gap | None, frameworks: Frameworks) -> tuple[Foreign, ...]:
    """Those of the first framework that has any."""
    if not isinstance(libraries, Libraries):
        return ()
    for framework in built_for_cuda(frameworks):
        found = tuple(
            Foreign(framework=framework, resolution=one, major=major)
            for one in libraries.resolutions or ()
            if one.framework == framework.name and one.path and one.family not in INDIFFERENT
            if (major := major_of(one, libraries)) is not None
            if framework.cuda is not None and major != framework.cuda.major
        )
        if found:
            return found
    return ()


def major_of(one: Resolution, libraries: Libraries) -> int | None:
    """The CUDA major of the file that is taken: as the copy says, its package, or the toolkit's folder."""
    copy = next((copy for copy in libraries.copies if copy.path == one.path), None)
    if copy is not None and copy.cuda_major is not None:
        return copy.cuda_major
    if copy is not None and copy.dist is not None:
        return cuda_major_of(copy.dist)
    match = re.search(r"/(?:cuda-|nvidia/cu)(\d\d)(?:[./]|$)", one.path or "")
    return int(match.group(1)) if match else None
