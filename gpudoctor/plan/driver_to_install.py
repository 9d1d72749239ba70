"""Which branch of the driver to install: the newest with long support that serves the GPUs and a CUDA. Data only."""

from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import DriverBranch
from gpudoctor.plan.machine import Machine


def driver_to_install(machine: Machine, cuda: CudaVersion | None, matrix: Matrix) -> str | None:
    """The branch, "580"; `cuda` is what it must offer. None where the GPUs are not known, or where no branch does."""
    if machine.driver_os != "linux" or not machine.capabilities:
        return None
    rows = [matrix.architecture(one) for one in machine.capabilities]
    last = min((row.last_branch for row in rows if row is not None and row.last_branch is not None), default=None)
    branches: tuple[DriverBranch, ...] = tuple(
        one for one in matrix.table("cuda_driver") if isinstance(one, DriverBranch) and one.os == "linux"
    )
    serving = [one for one in branches if (last is None or one.branch <= last) and (cuda is None or one.cuda >= cuda)]
    lasting = [one for one in serving if one.is_long_term] or serving
    return str(max(one.branch for one in lasting)) if lasting else None
