"""What every rule of the upper stack keeps to."""

from typing import Any

import msgspec
import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.base import Gap
from gpudoctor.facts.finding import SEVERITIES
from gpudoctor.facts.fix import Run
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.declare import MANUAL_HEADINGS
from gpudoctor.rules.load import load_rules
from tests.rules.test_root_causes_framework import FAULTS, HEALTHY, clash, judge

FAMILIES = ("framework", "library", "python", "toolkit")
PREFIXES = {"framework": "FRM", "library": "LIB", "python": "PYT", "toolkit": "TLK"}
RULES = tuple(rule for rule in load_rules() if rule.check.__module__.split(".")[2] in FAMILIES)
NAMES = {rule.name for rule in load_rules()}
BROKEN = {**{name: machine for name, (machine, _, _) in FAULTS.items()}, "overwritten": clash("nvidia-cudnn-cu12")}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_manual_has_every_heading_in_order(rule: Any) -> None:
    lines = rule.manual.splitlines()
    headings = tuple(line[:-1] for line in lines if line.endswith(":") and line[:-1] in MANUAL_HEADINGS)
    assert headings == MANUAL_HEADINGS
    assert rule.summary.endswith(".")
    assert all(lines[lines.index(f"{heading}:") + 1].strip() for heading in MANUAL_HEADINGS)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_file_function_and_code_agree(rule: Any) -> None:
    family, module = rule.check.__module__.split(".")[2:4]
    assert module == rule.name.replace("-", "_") == rule.check.__name__
    assert rule.code.startswith(PREFIXES[family])


@pytest.mark.parametrize("machine", BROKEN.values(), ids=BROKEN)
def test_findings_can_be_read_and_carried_out(machine: dict[str, Any]) -> None:
    for finding in judge(machine).findings:
        assert finding.severity in SEVERITIES
        assert set(finding.explains) <= NAMES, set(finding.explains) - NAMES
        assert finding.summary.endswith(".")
        assert "None" not in finding.summary
        assert finding.evidence
        assert finding.fixes
        for fix in finding.fixes:
            assert fix.steps, fix.title
            for step in fix.steps:
                if isinstance(step, Run):
                    assert all(word and "None" not in word for word in step.argv), step


def lesser(value: msgspec.Struct) -> list[tuple[str, msgspec.Struct]]:
    """The same facts with one of them unknown, each in turn, and of each of their parts."""
    found = []
    for field in msgspec.structs.fields(value):
        now = getattr(value, field.name)
        if now is not None and field.default is None:
            found.append((field.name, msgspec.structs.replace(value, **{field.name: None})))
        if isinstance(now, tuple):
            for index, part in enumerate(now):
                if isinstance(part, msgspec.Struct):
                    for name, less in lesser(part):
                        changed = (*now[:index], less, *now[index + 1 :])
                        found.append((f"{field.name}.{name}", msgspec.structs.replace(value, **{field.name: changed})))
    return found


@pytest.mark.parametrize("machine", HEALTHY.values(), ids=HEALTHY)
def test_what_is_not_known_is_no_fault(machine: dict[str, Any]) -> None:
    matrix = load_matrix()
    for section in SECTIONS:
        unseen = [("", Gap(reason="not seen"))]
        known = lesser(machine[section]) if isinstance(machine.get(section), msgspec.Struct) else []
        for name, less in [*unseen, *known]:
            diagnosis = diagnose(Snapshot(**(machine | {section: less})), matrix, RULES)
            assert not diagnosis.crashed, (section, name, diagnosis.crashed)
            faults = [one.name for one in diagnosis.findings if one.severity != "info"]
            assert not faults, (section, name, faults)


@pytest.mark.parametrize("machine", BROKEN.values(), ids=BROKEN)
def test_no_rule_breaks_on_what_is_not_known(machine: dict[str, Any]) -> None:
    matrix = load_matrix()
    for section in SECTIONS:
        known = lesser(machine[section]) if isinstance(machine.get(section), msgspec.Struct) else []
        for name, less in known:
            diagnosis = diagnose(Snapshot(**(machine | {section: less})), matrix, RULES)
            assert not diagnosis.crashed, (section, name, diagnosis.crashed)
            for finding in diagnosis.findings:
                assert "None" not in finding.summary, (section, name, finding.summary)
