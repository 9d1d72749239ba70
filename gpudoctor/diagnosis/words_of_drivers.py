"""Words of commands about what a driver serves: the CUDA whose PTX it reads, and packages of that CUDA's compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpudoctor.diagnosis.words_of_builds import driver_cuda
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.knowledge.ptx import cuda_of_ptx

if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated

#: The driver's own compiler: the newest PTX that it reads.
_READS = re.compile(r"ptx(?:as)?[^\n]*unsupported \.version \d\.\d; current version is '(\d\.\d)'", re.IGNORECASE)
#: From here on conda has the toolkit in parts, and NVIDIA its compiler as wheels of each minor.
_IN_PARTS = 12
_WITHOUT_SUFFIX = 13
_FIRST = CudaVersion(milestone("conda-cudatoolkit-begins"))


def cuda_served(facts: Stated) -> CudaVersion | None:
    """The newest CUDA whose PTX the driver reads: as its compiler says, else as nvidia-smi does."""
    said = (found for text in facts.seen.messages if (found := _READS.search(text)))
    return next((made for found in said if (made := cuda_of_ptx(found[1]))), None) or driver_cuda(facts)


def conda_toolkit(facts: Stated) -> str | None:
    """cuda-version=12.4, as conda is asked for the toolkit of that CUDA; cudatoolkit=11.1 of an older one."""
    cuda = cuda_served(facts)
    if cuda is None:
        return None
    if cuda < _FIRST:
        # The older ones are on other channels, and not for every minor.
        return f'"cudatoolkit<={cuda}"'
    return f"{'cuda-version' if cuda.major >= _IN_PARTS else 'cudatoolkit'}={cuda.major}.{cuda.minor}"


def compiler_wheels(facts: Stated) -> str | None:
    """NVIDIA's packages of that CUDA's compilers, as pip is asked for them; "" where there are none."""
    cuda = cuda_served(facts)
    if cuda is None:
        return None
    if cuda.major < _IN_PARTS:
        return ""
    suffix = "" if cuda.major >= _WITHOUT_SUFFIX else f"-cu{cuda.major}"
    return " ".join(f'"nvidia-cuda-{name}{suffix}=={cuda.major}.{cuda.minor}.*"' for name in ("nvcc", "nvrtc"))
