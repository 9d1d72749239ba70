"""Which GPUs a release of MATLAB computes on, and what has to be typed first."""

from typing import Literal

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.offer_types import MatlabRelease
from gpudoctor.knowledge.matrix.query import Matrix

#: yes: it has code for the GPU. compiles: the driver compiles for it, unasked. enable: it does once it is enabled.
Serves = Literal["yes", "compiles", "enable", "too old"]


def serves(row: MatlabRelease, capability: Capability, matrix: Matrix) -> Serves | None:
    """Whether a release computes on GPUs of a compute capability; None is not known.

    MATLAB has code for what its toolkit compiles for; newer GPUs are left to the driver's compiler, which MATLAB allows
    unasked until R2020a (mathworks.com/help/parallel-computing/parallel.gpu.enablecudaforwardcompatibility.html).
    """
    toolkit = matrix.toolkit(row.cuda)
    if row.min_capability is not None and capability < row.min_capability:
        return "too old"
    if toolkit is None or not toolkit.capabilities:
        return None
    if capability > max(toolkit.capabilities):
        return "compiles" if row.compiles_unasked else "enable"
    if capability < min(toolkit.capabilities):
        return "too old"
    # Which of these it leaves out is not known where it names no oldest GPU.
    return "yes" if row.min_capability is not None else None
