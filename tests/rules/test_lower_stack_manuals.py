"""What every rule of the lower stack keeps to."""

import ast
import inspect
import itertools
from importlib import import_module

import pytest

from gpudoctor.facts.finding import SEVERITIES
from gpudoctor.facts.fix import Ask, Run, SetEnv
from gpudoctor.rules.declare import MANUAL_HEADINGS
from gpudoctor.rules.load import load_rules
from tests.rules.broken_machines import MACHINES
from tests.rules.test_root_causes_driver import RULES, diagnosis

NAMES = {rule.name for rule in load_rules()}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_manual_has_every_heading_in_order(rule):
    lines = rule.manual.splitlines()
    headings = [line[:-1] for line in lines if line.rstrip(":") in MANUAL_HEADINGS and line.endswith(":")]
    assert tuple(headings) == MANUAL_HEADINGS
    assert rule.summary.endswith(".")
    assert all(lines[lines.index(f"{heading}:") + 1].strip() for heading in MANUAL_HEADINGS)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rule_reaches_for_no_machine(rule):
    """Judgement is pure: nothing but the model, the matrix and other judgement is imported."""
    tree = ast.parse(inspect.getsource(import_module(rule.check.__module__)))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    own = {module for module in modules if module.startswith("gpudoctor")}
    assert all(module.split(".")[1] in ("facts", "knowledge", "rules", "plan", "sources") for module in own)


@pytest.mark.parametrize(("sections", "cause"), MACHINES.values(), ids=MACHINES)
def test_findings_can_be_read_and_carried_out(sections, cause):
    for finding in diagnosis(**sections).findings:
        assert finding.severity in SEVERITIES
        assert set(finding.explains) <= NAMES, set(finding.explains) - NAMES
        assert finding.summary.endswith(".")
        assert finding.evidence
        assert finding.fixes
        assert not any(fix.title.startswith("Or ") for fix in finding.fixes), "the report writes Or before it"
        steps = itertools.chain.from_iterable(fix.steps for fix in finding.fixes)
        for step in steps:
            assert isinstance(step, SetEnv | Ask) or hasattr(step, "argv") or hasattr(step, "path")
            if isinstance(step, Run):
                assert all(word and "None" not in word and " " not in word for word in step.argv), step
        assert all(fix.safety != "safe" for fix in finding.fixes if fix.needs_root)
