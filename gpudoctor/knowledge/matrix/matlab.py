"""Which GPUs a release of MATLAB supports, and what must be typed first."""

from typing import Literal

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.offer_types import MatlabRelease
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Toolkit

#: yes: it has code for the GPU. compiles: the driver compiles for it, unasked, and not all of it may work
#: (mathworks.com/matlabcentral/answers/592198). enable: it does once it is enabled.
Serves = Literal["yes", "compiles", "enable", "too old"]
#: The last release that leaves newer GPUs to the driver's compiler without being asked.
UNASKED = "R2020a"


def release_of(name: str, matrix: Matrix) -> MatlabRelease | None:
    """The row of a release; case and the R before it do not count."""
    rows: tuple[MatlabRelease, ...] = matrix.table("matlab")
    plain = name.lower().removeprefix("r")
    return next((row for row in rows if row.release.lower().removeprefix("r") == plain), None)


def serves(row: MatlabRelease, capability: Capability, matrix: Matrix) -> Serves | None:
    """Whether a release computes on GPUs of a compute capability; None is not known.

    MATLAB has code for what its toolkit compiles for; newer GPUs are left to the driver's compiler, which MATLAB allows
    unasked until R2020a (mathworks.com/help/parallel-computing/parallel.gpu.enablecudaforwardcompatibility.html). From
    then on it counts by majors: with code for 8.0 or 8.6 it serves all of 8.x (gpu-support-by-release.html of R2021a;
    mathworks.com/matlabcentral/answers/1825838 on 8.9), as device code runs on later GPUs of its major.
    """
    toolkit = matrix.toolkit(row.cuda)
    rows: tuple[MatlabRelease, ...] = matrix.table("matlab")
    # A release that names no oldest GPU has one no older than its predecessors', and no newer than its successors'.
    low = max((one.min_capability for one in rows if one.release <= row.release and one.min_capability), default=None)
    high = min((one.min_capability for one in rows if one.release >= row.release and one.min_capability), default=None)
    if low is not None and capability < low:
        return "too old"
    if toolkit is None or not toolkit.capabilities:
        known = [one for one in matrix.table("cuda_arch") if isinstance(one, Toolkit) and one.capabilities]
        oldest = min((one for one in known if one.cuda > row.cuda), key=lambda one: one.cuda, default=None)
        # It had code for no GPU that a newer toolkit had none for.
        newer = oldest is not None and capability > max(oldest.capabilities)
        return "compiles" if newer and row.compiles_unasked else None
    newest = max(toolkit.capabilities)
    if capability > newest and (row.compiles_unasked or capability.major > newest.major):
        return "compiles" if row.compiles_unasked else "enable"
    if capability < min(toolkit.capabilities):
        return "too old"
    # Which of these it leaves out is not known where it names no oldest GPU.
    return "yes" if high is not None and capability >= high else None
