"""Conditions that refute causes by comparing the driver's CUDA with that of a build."""

from gpudoctor.diagnosis.condition import condition
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.libraries import Toolkits
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.matrix.load import load_matrix


@condition
def built_by_newer_cuda(seen: SnapshotView) -> str | None:
    """Of one family, the CUDA of a toolkit or a framework is newer than the one that the driver offers."""
    offered, newest = _offered(seen), max(_built_with(seen), default=None)
    if offered is None or newest is None or newest.major != offered.major or newest <= offered:
        return None
    return f"the driver offers CUDA {offered}, and there is CUDA {newest}"


def _offered(seen: SnapshotView) -> CudaVersion | None:
    driver = seen.section(Driver, "driver")
    if driver is None or driver.cuda is not None or driver.release is None:
        return driver.cuda if driver else None
    return load_matrix().offered_cuda(driver.release, "windows" if seen.os in ("windows", "wsl") else "linux")


def _built_with(seen: SnapshotView) -> list[CudaVersion]:
    frameworks, toolkits = seen.section(Frameworks, "frameworks"), seen.section(Toolkits, "toolkits")
    own = [one.cuda for one in frameworks.found if one.cuda] if frameworks else []
    return own + [one.version for one in toolkits.found if one.version] if toolkits else own
