"""Registers the conditions that refute causes, both records of conditions.toml and functions."""

import re
from collections.abc import Callable

from gpudoctor.diagnosis.occasion import is_stated
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.knowledge.conditions import ConditionRecord, condition_records
from gpudoctor.knowledge.milestones import numbers_of

Condition = Callable[[SnapshotView], str | None]
_RELEASE = re.compile(r"(\w+)(<|>=|!=)(.+)")


def condition(check: Condition) -> Condition:
    """Register a condition under its function's name, with hyphens."""
    CONDITIONS[check.__name__.replace("_", "-")] = check
    return check


def _recorded(record: ConditionRecord) -> Condition:
    def check(seen: SnapshotView) -> str | None:
        alternatives = (line.split(" or ") for line in record.holds)
        return record.say if all(any(_holds(one, seen) for one in line) for line in alternatives) else None

    return check


def _holds(fact: str, seen: SnapshotView) -> bool:
    kind, _, what = fact.partition(" ")
    if kind == "not":
        return not _holds(what, seen)
    return _KINDS[kind](what, seen) if kind in _KINDS else is_stated(fact, seen.fact)


def _released(what: str, seen: SnapshotView) -> bool:
    """A framework's release against a milestone; no where it is not known."""
    match = _RELEASE.fullmatch(what)
    numbers = seen.numbers(match[1]) if match else None
    if match is None or numbers is None:
        return False
    bound = numbers_of(match[3])
    return {"<": numbers < bound, ">=": numbers >= bound, "!=": numbers[: len(bound)] != bound}[match[2]]


_KINDS: dict[str, Callable[[str, SnapshotView], bool]] = {
    "around": lambda what, seen: seen.is_around(what),
    "said": lambda what, seen: seen.said(*what.split("|")),
    "line": lambda what, seen: any(re.search(what, text, re.IGNORECASE) for text in seen.messages),
    "gpus-named": lambda what, seen: seen.all_named(re.compile(what)),
    "release": _released,
}
#: By the name that causes use: nvml-lists-gpus.
CONDITIONS: dict[str, Condition] = {record.id: _recorded(record) for record in condition_records()}
