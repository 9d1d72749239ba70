"""Conditions of the driver: whether it answers, how many GPUs it lists, and whether it serves the frameworks."""

from collections.abc import Sequence
from typing import cast

from gpudoctor.diagnosis.condition import condition
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.types import Os
from gpudoctor.knowledge.message import STRENGTH, message_of
from gpudoctor.knowledge.statements import what_shows

_USUAL = STRENGTH["usual"]
#: What reporters say of programs that compute on this GPU.
_IN_USE = ("another-program-uses-gpu", "torch-uses-gpu", "tensorflow-uses-gpu", "jax-uses-gpu")


@condition
def nvml_lists_gpus(seen: SnapshotView) -> str | None:
    """The driver answers."""
    driver, gpus = seen.section(Driver, "driver"), seen.section(Gpus, "gpus")
    nvml = driver.nvml if driver else None
    if nvml and nvml.ok and nvml.device_count is None and nvml.source and nvml.source.kind == "report":
        return "nvidia-smi is said to work"
    if not (nvml and nvml.ok and nvml.device_count and gpus):
        return None
    release = f" {driver.release}" if driver and driver.release else ""
    return f"the driver{release} answers and lists {nvml.device_count} GPU{'s' * (nvml.device_count > 1)}"


@condition
def driver_serves_frameworks(seen: SnapshotView) -> str | None:
    """The driver offers the CUDA that every framework was built with, or a newer one."""
    driver, frameworks = seen.section(Driver, "driver"), seen.section(Frameworks, "frameworks")
    if driver is None or frameworks is None:
        return None
    # Which CUDA a build of conda uses, its release does not say: where the driver itself calls itself too old, it is.
    if seen.said("cuda-insufficient-driver") and nvml_lists_gpus(seen):
        return None
    wanted = [one.cuda for one in frameworks.found if one.cuda is not None]
    if not wanted:
        return None
    if driver.cuda is not None and max(wanted) <= driver.cuda:
        return f"the driver offers CUDA {driver.cuda}, and the frameworks were built with {max(wanted)}"
    if driver.release is not None and not seen.on_jetson and _meets_floors(driver.release, wanted, seen.os):
        return f"driver {driver.release} runs what is built with CUDA {max(wanted)}"
    return None


def _meets_floors(release: DriverRelease, wanted: Sequence[CudaVersion], os: str | None) -> bool:
    """Whether the release is at least the oldest for each CUDA's family, on either system where none is stated."""
    named = (os,) if os in ("linux", "windows") else ("linux", "windows")
    systems = cast("tuple[Os, ...]", named)
    floors = [load_matrix().family_floor(cuda, one) for cuda in wanted for one in systems]
    return all(floor is not None and floor.release <= release for floor in floors)


@condition
def driver_serves_another_program(seen: SnapshotView) -> str | None:
    """Another program is said to use the GPU, and no message calls the driver too old."""
    live = seen.section(Live, "live")
    rows = [row for one in live.symptoms if (row := message_of(one.signature))] if live else []
    called = any(one.key == "driver-too-old" and one.prior >= _USUAL for row in rows for one in row.causes)
    named = next((one for one in _IN_USE if seen.is_around(one)), None)
    return what_shows(named)[0].say if named and not called else None
