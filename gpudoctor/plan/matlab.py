"""Whether the installed MATLABs can use the GPUs of a machine."""

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.matlab import Matlab, OnGpu, Outcome, Reason
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.versions import Capability, CudaVersion
from gpudoctor.knowledge.matrix.matlab import UNASKED, Serves, release_of, serves
from gpudoctor.knowledge.matrix.offer_types import MatlabRelease
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Os
from gpudoctor.plan.this_machine import machine_here, scene_of

_STOPS: frozenset[str] = frozenset({"no-toolbox", "no-gpu", "gpu-too-old", "no-driver", "driver-too-old"})


def judge_matlabs(installed: tuple[Matlab, ...], snapshot: Snapshot, matrix: Matrix) -> tuple[OnGpu, ...]:
    """Each MATLAB on each kind of NVIDIA GPU of the machine; on none, where there is none or none was seen."""
    kinds = {(gpu.name, matrix.capability(gpu)): gpu for gpu in _nvidia(snapshot)}
    gpus: tuple[Gpu | None, ...] = tuple(kinds.values()) or (None,)
    return tuple(_judged(matlab, gpu, snapshot, matrix) for matlab in installed for gpu in gpus)


def _nvidia(snapshot: Snapshot) -> tuple[Gpu, ...]:
    return snapshot.gpus.nvidia if isinstance(snapshot.gpus, Gpus) else ()


def _judged(matlab: Matlab, gpu: Gpu | None, snapshot: Snapshot, matrix: Matrix) -> OnGpu:
    row = _row(matlab, matrix)
    toolbox: Reason | None = "toolbox-not-seen" if matlab.has_toolbox is None else "no-toolbox"
    toolbox = None if matlab.has_toolbox else toolbox
    cuda = row.cuda if row else None
    if gpu is None:
        reasons = _those(toolbox, "gpus-not-seen" if isinstance(snapshot.gpus, Gap) else "no-gpu")
        return OnGpu(matlab=matlab, cuda=cuda, outcome=_outcome(reasons, None), reasons=reasons)
    capability = matrix.capability(gpu)
    served = serves(row, capability, matrix) if row and capability else None
    os = machine_here(scene_of(snapshot), matrix).driver_os
    # Another driver is no help to a GPU that is too old.
    driver = _driver(snapshot.driver, cuda, matrix, os) if cuda and served != "too old" else None
    reasons = _those(toolbox, _generation(capability, served), driver)
    floor = matrix.toolkit_floor(cuda, os) if cuda and driver else None
    return OnGpu(
        matlab=matlab, gpu=gpu.name or gpu.label, capability=capability, cuda=cuda,
        outcome=_outcome(reasons, served), reasons=reasons, driver=floor.release if floor else None,
        instead=_newest_serving(capability, matrix) if capability and served == "too old" else None,
    )  # fmt: skip


def _those(*reasons: Reason | None) -> tuple[Reason, ...]:
    return tuple(one for one in reasons if one is not None)


def _generation(capability: Capability | None, served: Serves | None) -> Reason | None:
    if capability is None:
        return "gpu-not-known"
    return "gpu-too-old" if served == "too old" else "release-not-known" if served is None else None


def _row(matlab: Matlab, matrix: Matrix) -> MatlabRelease | None:
    """What is known of the release, with the CUDA that lies in the folder."""
    known = release_of(matlab.release, matrix) if matlab.release else None
    cuda = matlab.cuda or (known.cuda if known else None)
    if cuda is None or matlab.release is None:
        return None
    return MatlabRelease(
        release=matlab.release, cuda=cuda, min_capability=known.min_capability if known else None,
        compiles_unasked=matlab.release <= UNASKED,
    )  # fmt: skip


def _driver(driver: Driver | Gap | None, cuda: CudaVersion, matrix: Matrix, os: Os) -> Reason | None:
    """What the driver has against a CUDA.

    Within a CUDA major programs start on older drivers, from CUDA 11 on; yet MATLAB R2024a (CUDA 12.2) was reported to
    refuse a driver for 12.1: mathworks.com/matlabcentral/answers/2154740.
    """
    if driver is None:
        return "no-driver"
    seen = None if isinstance(driver, Gap) else driver
    offered = seen.cuda if seen else None
    if offered is None and seen is not None and seen.release is not None:
        offered = matrix.offered_cuda(seen.release, os)
    if offered is None:
        return "driver-not-known"
    if offered >= cuda:
        return None
    return (
        "driver-older-than-its-cuda"
        if offered.major == cuda.major and cuda >= matrix.first_family
        else "driver-too-old"
    )


def _outcome(reasons: tuple[Reason, ...], served: Serves | None) -> Outcome:
    if _STOPS & set(reasons):
        return "no"
    return "not known" if reasons or served is None or served == "too old" else served


def _newest_serving(capability: Capability, matrix: Matrix) -> str | None:
    rows: tuple[MatlabRelease, ...] = matrix.table("matlab")
    return max((row.release for row in rows if serves(row, capability, matrix) in {"yes", "compiles"}), default=None)
