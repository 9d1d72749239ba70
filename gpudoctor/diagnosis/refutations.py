"""The fact that rules a cause out, or makes it likely, in words.

A cause is ruled out where it needs a system or a maker's GPU that is known not to be here, or where one of its named
conditions holds.
"""

from gpudoctor.diagnosis import (  # noqa: F401 - they register themselves
    conditions,
    conditions_of_cuda,
    conditions_of_memory,
    conditions_of_packages,
)
from gpudoctor.diagnosis.condition import CONDITIONS
from gpudoctor.diagnosis.offered_wheels import own_python, pythons_of
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.causes import Cause, all_causes
from gpudoctor.knowledge.statements import what_shows

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
    for one in seen.known:
        if cause in one.refutes or (one.without_cuda and record.gpu == "nvidia"):
            return one.say
    if record.gpu == "nvidia" and not seen.makers and (said := _said("no-nvidia-gpu", seen)):
        return said
    facts = (_holds(name, seen) for name in record.refuted_by)
    return _of_other_releases(record, seen) or next((fact for fact in facts if fact), None)


def _of_other_releases(record: Cause, seen: SnapshotView) -> str | None:
    """Another release of the framework is stated than those it is of, or a Python for which none of them is."""
    for name, wanted in record.releases.items():
        framework = seen.framework(name)
        if framework is not None and framework.version:
            return None if is_met(wanted, framework.version) else f"this is {framework.label}"
        python = own_python(seen)
        if python and (served := pythons_of(name, wanted, seen)) and python not in served:
            return f"none of those releases is for Python {python}"
    return None


def support(cause: str, seen: SnapshotView) -> str | None:
    """The fact that makes the cause likely; None where none does."""
    record = all_causes().get(cause)
    return next((fact for name in record.shown_by if (fact := _holds(name, seen))), None) if record else None


def _holds(name: str, seen: SnapshotView) -> str | None:
    """The condition of that name holds by the facts, or the reporter says so; in words."""
    by_facts = CONDITIONS[name](seen) if name in CONDITIONS else None
    return by_facts or _said(name, seen)


def _said(name: str, seen: SnapshotView) -> str | None:
    return next((one.say for one in what_shows(name) if seen.is_around(one.id)), None)


def is_far_fetched(cause: str, seen: SnapshotView) -> bool:
    """What it needs is not stated, or it is of a framework with which nothing in the text computes."""
    record = all_causes().get(cause)
    if record is None:
        return False
    lacks = bool(record.needs) and not any(_holds(name, seen) for name in record.needs)
    return lacks or (record.framework is not None and seen.computes_with_another(record.framework))


def is_denied(cause: str, seen: SnapshotView) -> bool:
    """The reporter's own words rule it out."""
    record = all_causes().get(cause)
    return record is not None and any(_said(name, seen) for name in record.refuted_by)


def is_beside_the_point(cause: str, seen: SnapshotView) -> bool:
    """It is a cause of a framework and the text is about others only, or of packages and it names no Python."""
    record = all_causes().get(cause)
    if record is None or not seen.about:
        return False
    if record.framework is not None:
        return record.framework not in seen.about
    return record.of_packages and seen.about == {"another"} and seen.is_around("no-python")
