"""The cause to name where all others need an NVIDIA GPU and the machine's GPU is another maker's."""

from collections.abc import Collection

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.knowledge.causes import all_causes

#: Makers whose GPUs PyTorch has builds for; of Intel's these are Arc and the processors' own of the same kind.
_WITH_OWN_TORCH = frozenset({"amd"})


def needs_nvidia(causes: Collection[str], seen: SnapshotView, containers: Collection[str]) -> str | None:
    """The cause in the place of these, `containers` being those of containers; None where NVIDIA's GPU may be there."""
    if not seen.makers or "nvidia" in seen.makers or "apple" in seen.makers:
        return None
    records = [record for name in causes if (record := all_causes().get(name))]
    if not any(record.gpu == "nvidia" for record in records):
        return None
    if not set(containers).isdisjoint(causes):
        return "container-wants-absent-nvidia-gpu"
    if "torch" in seen.about and (seen.makers & _WITH_OWN_TORCH or seen.is_around("intel-arc")):
        return "torch-backend-gpu-vendor"
    return "program-for-another-maker"
