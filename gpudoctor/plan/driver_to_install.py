"""Which driver branch to recommend: the newest with long support that serves the GPUs and a CUDA."""

from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import DriverBranch
from gpudoctor.plan.machine import Machine


def driver_to_install(machine: Machine, cuda: CudaVersion | None, matrix: Matrix) -> str | None:
    """The branch, "580"; `cuda` is what it must offer. None where neither that nor a GPU is known, or no branch does.

    Who needs a CUDA has a GPU that it compiles for: where none is named, any of those may be it.
    """
    if machine.driver_os != "linux":
        return None
    toolkit = matrix.toolkit(cuda) if cuda else None
    gpus = machine.capabilities or (toolkit.capabilities if toolkit else ())
    if not gpus:
        return None
    rows = [row for row in map(matrix.architecture, gpus) if row is not None]
    first = max((row.first_branch for row in rows if row.first_branch is not None), default=0)
    last = min((row.last_branch for row in rows if row.last_branch is not None), default=None)
    branches: tuple[DriverBranch, ...] = tuple(
        one for one in matrix.table("cuda_driver") if isinstance(one, DriverBranch) and one.os == "linux"
    )
    suit = [one for one in branches if first <= one.branch and (last is None or one.branch <= last)]
    serving = [one for one in suit if cuda is None or one.cuda >= cuda]
    lasting = [one for one in serving if one.is_long_term] or serving
    return str(max(one.branch for one in lasting)) if lasting else None
