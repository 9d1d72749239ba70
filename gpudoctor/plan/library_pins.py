"""Pins of cuDNN and ptxas to install with a build, so that they support the GPUs here."""

import re
from collections.abc import Collection

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TensorflowBuild, Toolkit
from gpudoctor.plan.builds import Build
from gpudoctor.plan.cudnn import cudnn_pins


def library_pins(build: Build, gpus: Collection[Capability], matrix: Matrix) -> tuple[str, ...]:
    """A cuDNN that has code for the oldest GPU, and an assembler that knows the newest."""
    return (*cudnn_pins(build, gpus, matrix), *_assembler_pins(build, gpus, matrix))


def _assembler_pins(build: Build, gpus: Collection[Capability], matrix: Matrix) -> tuple[str, ...]:
    """nvidia-cuda-nvcc-cu12>=12.8: what XLA assembles with, where the extra of TensorFlow admits an older one."""
    asked = build.row.and_cuda if isinstance(build.row, TensorflowBuild) else ()
    name = next((match[1] for one in asked if (match := re.match(r"(nvidia-cuda-nvcc-cu\d+)[<>]", one))), None)
    if name is None or build.cuda is None or not gpus:
        return ()
    toolkits = [row for row in matrix.table("cuda_arch") if isinstance(row, Toolkit)]
    known = (row.cuda for row in toolkits if row.cuda.major == build.cuda.major and max(gpus) in row.capabilities)
    first = min(known, default=None)
    return (f"{name}>={first}",) if first is not None and first > build.cuda else ()
