"""What would be found on a machine whose GPU a ticket does not state, if it had one of NVIDIA's: most have."""

from collections.abc import Iterable

from msgspec import structs

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.base import Gap
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.rules.declare import Rule

SOME_GPU = Gpus(devices=(Gpu(vendor="nvidia"),))


def findings_with_gpu(snapshot: Snapshot, matrix: Matrix, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """The findings that only wait for a GPU to be stated; none where one is stated, or where CUDA cannot be."""
    is_mac = isinstance(snapshot.host, System) and snapshot.host.os == "macos"
    if not isinstance(snapshot.gpus, Gap) or is_mac:
        return ()
    return diagnose(structs.replace(snapshot, gpus=SOME_GPU), matrix, rules).findings
