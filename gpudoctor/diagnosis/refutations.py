"""Why it is not that: the fact that rules a cause out, in words.

A cause is ruled out where it needs a system or a maker's GPU that is known not to be here, or where one of its named
conditions holds.
"""

from gpudoctor.diagnosis import conditions, conditions_of_packages  # noqa: F401 - they register themselves
from gpudoctor.diagnosis.condition import CONDITIONS
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.knowledge.causes import all_causes

_SYSTEMS = {"linux": "Linux", "wsl": "WSL", "windows": "Windows", "macos": "macOS"}
_MAKERS = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "apple": "Apple"}


def refutation(cause: str, seen: SnapshotView) -> str | None:
    """The fact that rules the cause out; None while it may be."""
    record = all_causes().get(cause)
    if record is None:
        return None
    if record.systems and seen.systems and not seen.systems.intersection(record.systems):
        return f"this is {' or '.join(_SYSTEMS[name] for name in sorted(seen.systems))}"
    if record.gpu is not None and seen.makers and record.gpu not in seen.makers:
        return f"the GPU is from {' and '.join(_MAKERS.get(name, name) for name in sorted(seen.makers))}"
    return next((fact for name in record.refuted_by if (fact := CONDITIONS[name](seen))), None)


def is_beside_the_point(cause: str, seen: SnapshotView) -> bool:
    """It is a cause of a framework, and the text is about others only."""
    record = all_causes().get(cause)
    needed = record.framework if record else None
    return needed is not None and bool(seen.about) and needed not in seen.about
