"""Findings that would hold if a ticket's unstated GPU were NVIDIA's, as most are."""

from collections.abc import Iterable

from msgspec import structs

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.base import Gap
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import Live
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.message import message_of
from gpudoctor.rules.declare import Rule

#: Where these are all that failed, nobody says that a GPU is not used.
_FAILS = frozenset(
    ("framework-import-failed", "framework-import-crashed", "library-not-loaded", "install-failed", "numpy-abi")
)
SOME_GPU = Gpus(devices=(Gpu(vendor="nvidia"),))


def findings_with_gpu(snapshot: Snapshot, matrix: Matrix, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """The findings that only wait for a GPU to be stated; none where one is stated, or where CUDA cannot be."""
    is_mac = isinstance(snapshot.host, System) and snapshot.host.os == "macos"
    if not isinstance(snapshot.gpus, Gap) or is_mac:
        return ()
    found = diagnose(structs.replace(snapshot, gpus=SOME_GPU), matrix, rules).findings
    met = _met(snapshot)
    fails = bool(met & _FAILS) and not met - _FAILS
    return tuple(one for one in found if not (fails and _only_hides(one.name, met)))


def _met(snapshot: Snapshot) -> set[str]:
    """What failed, as the messages say."""
    live = snapshot.live
    symptoms = live.symptoms if isinstance(live, Live) else ()
    return {row.reported_by for one in symptoms if (row := message_of(one.signature)) and row.reported_by}


def _only_hides(cause: str, met: set[str]) -> bool:
    """It keeps a framework from a GPU, and is no reason for what failed."""
    record = all_causes().get(cause)
    return record is not None and bool(record.hides_gpu) and not met.intersection(record.leads_to)
