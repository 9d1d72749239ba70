"""The register of conditions that refute causes."""

from collections.abc import Callable

from gpudoctor.diagnosis.snapshot_view import SnapshotView

Condition = Callable[[SnapshotView], str | None]
#: By the name that causes use: nvml-lists-gpus.
CONDITIONS: dict[str, Condition] = {}


def condition(check: Condition) -> Condition:
    """Register a condition under its function's name, with hyphens."""
    CONDITIONS[check.__name__.replace("_", "-")] = check
    return check
