"""A rule's test is a table: each row says in one expression when it fires and when it is quiet."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.wish import Wish
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.declare import Rule
from gpudoctor.rules.load import load_rules
from tests.rules import rows
from tests.rules.needs import not_as_listed


def rule_of(name: str) -> Rule:
    """The rule of that name or code."""
    return next(rule for rule in load_rules() if name in (rule.name, rule.code))


def judge(name: str, *, wish: Wish | None = None, **sections: Any) -> tuple[Finding, ...]:
    """What one rule says of a snapshot with just these sections; it must neither crash nor be skipped."""
    diagnosis = diagnose(Snapshot(**sections), load_matrix(), (rule_of(name),), wish)
    assert not diagnosis.crashed, diagnosis.crashed
    assert not diagnosis.skipped, diagnosis.skipped
    rows.note(rule_of(name).name, "fires" if diagnosis.findings else "quiet")
    return diagnosis.findings


def fires(name: str, *, wish: Wish | None = None, **sections: Any) -> Finding:
    """The one finding (the first, where there are several) of a rule that must fire."""
    findings = judge(name, wish=wish, **sections)
    assert findings, f"{name} should have fired"
    for finding in findings:
        assert finding.evidence, f"{name} fired without evidence"
        assert not (rows := not_as_listed(finding)), f"needs.txt says otherwise of {rows}"
        assert finding.summary.endswith("."), finding.summary
        assert msgspec.convert(msgspec.to_builtins(finding), Finding) == finding, "a part of another type"
        assert not re.search(r"\bNone\b", texts := " | ".join(texts_of(finding))), texts
    return findings[0]


def texts_of(finding: Finding) -> Iterator[str]:
    """Everything that a person reads."""
    yield finding.summary
    yield from (one.value for one in finding.evidence)
    for fix in finding.fixes:
        yield f"{fix.title} {fix.undo or ''}"
        yield from (str(part) for step in fix.steps for part in msgspec.structs.astuple(step) if part is not None)


def quiet(name: str, *, wish: Wish | None = None, **sections: Any) -> None:
    """A rule that must say nothing: clean or not applicable."""
    findings = judge(name, wish=wish, **sections)
    assert not findings, findings


def skips(name: str, **sections: Any) -> str:
    """The reason a rule gives for not judging."""
    diagnosis = diagnose(Snapshot(**sections), load_matrix(), (rule_of(name),))
    assert diagnosis.skipped, f"{name} should have been skipped"
    rows.note(rule_of(name).name, "skips")
    return diagnosis.skipped[0].gap.reason
