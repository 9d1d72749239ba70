"""Compares two snapshots: what changed, most suspicious first.

A change is suspicious when undoing it, and nothing else, takes back a finding that is new: that is tried for each.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from gpudoctor.diagnosis.change import Change, undone
from gpudoctor.diagnosis.changes import changes
from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.finding import SEVERITIES, Finding
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.rules.declare import Rule

COMPARISON_SCHEMA = 1
#: Changes that are undone one by one; the others are ordered by where they are.
_TRIED = 24

#: Sections by how often a change there is the reason, the most frequent first.
_ORDER = (
    *("frameworks", "driver", "libraries", "environ", "gpus", "container", "interpreter", "toolkits", "host"),
    *("packages", "live"),
)


class Suspect(Fact, frozen=True, kw_only=True):
    """A change, and the new findings that go when it is undone."""

    change: Change
    brings: tuple[str, ...] = ()


class Shift(Fact, frozen=True, kw_only=True):
    """A finding of one of the two that the other does not have."""

    code: str
    name: str
    severity: Literal["error", "warning", "info"]
    summary: str


class Comparison(Fact, frozen=True, kw_only=True):
    """What changed."""

    schema: int = COMPARISON_SCHEMA
    #: Most suspicious first.
    suspects: tuple[Suspect, ...] = ()
    appeared: tuple[Shift, ...] = ()
    gone: tuple[Shift, ...] = ()
    #: Sections that one of the two did not see, with its reason.
    not_compared: tuple[tuple[str, str], ...] = ()


def compare(before: Snapshot, after: Snapshot, matrix: Matrix, rules: Iterable[Rule]) -> Comparison:
    """The changes from one snapshot to another."""
    rules = tuple(rules)

    def judged(snapshot: Snapshot) -> dict[str, Finding]:
        return {one.code: one for one in diagnose(snapshot, matrix, rules).findings}

    old, new = judged(before), judged(after)
    appeared = {code: one for code, one in new.items() if _is_worse(old.get(code), one)}
    found = sorted(changes(before, after), key=lambda change: _ORDER.index(change.section))
    told = {change.what for change in found if change.section == "frameworks"}
    found = [change for change in found if change.section != "packages" or change.what not in told]
    brought = _brought(found, before, after, set(appeared), lambda snapshot: set(judged(snapshot)))
    ranked = sorted(
        (Suspect(change=change, brings=brought.get(change, ())) for change in found),
        key=lambda one: (
            min((_gravity(appeared[code]) for code in one.brings), default=9),
            _ORDER.index(one.change.section),
        ),
    )
    return Comparison(
        suspects=tuple(ranked),
        appeared=_shifts(appeared.values()),
        gone=_shifts(one for code, one in old.items() if code not in new),
        not_compared=tuple(_not_compared(before, after)),
    )


def _is_worse(old: Finding | None, new: Finding) -> bool:
    return old is None or SEVERITIES.index(new.severity) < SEVERITIES.index(old.severity)


def _gravity(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def _brought(
    found: list[Change],
    before: Snapshot,
    after: Snapshot,
    appeared: set[str],
    codes: Callable[[Snapshot], set[str]],
) -> dict[Change, tuple[str, ...]]:
    """For each change the new findings that are not there without it."""
    brought: dict[Change, tuple[str, ...]] = {}
    if not appeared:
        return brought
    tried: dict[tuple[str, str | None], tuple[str, ...]] = {}
    for change in found:
        if change.undo not in tried and len(tried) < _TRIED:
            left = codes(undone(after, before, change))
            tried[change.undo] = tuple(sorted(appeared - left))
        brought[change] = tried.get(change.undo, ())
    return brought


def _shifts(findings: Iterable[Finding]) -> tuple[Shift, ...]:
    rows = (Shift(code=one.code, name=one.name, severity=one.severity, summary=one.summary) for one in findings)
    return tuple(sorted(rows, key=lambda one: (SEVERITIES.index(one.severity), one.code)))


def _not_compared(before: Snapshot, after: Snapshot) -> Iterator[tuple[str, str]]:
    for name in SECTIONS:
        values = (getattr(before, name), getattr(after, name))
        gaps = [value for value in values if isinstance(value, Gap)]
        if len(gaps) == 1:
            which = "before" if isinstance(values[0], Gap) else "after"
            yield name, f"not known {which}: {gaps[0].reason}"
