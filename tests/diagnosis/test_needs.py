"""A rule that lacks a single fact is skipped, with that fact named, and open as a cause."""

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.missing_facts import FACT_WORDS
from gpudoctor.diagnosis.ranking import rank
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.facts.system import Cpu, System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.declare import SECTION_FIELDS
from gpudoctor.rules.load import load_rules

RULES = tuple(rule for rule in load_rules() if rule.needs)
TYPES = {field: kind for kind, field in SECTION_FIELDS.items()}
FOUND = Frameworks(found=(Framework(name="tensorflow", dist="tensorflow", version="2.16.1", variant="cpu"),))
SYMPTOM = Symptom(signature="illegal-instruction", text="Illegal instruction (core dumped)")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_what_a_rule_needs_is_a_fact_that_has_words(rule):
    for name in rule.needs:
        section, fact = name.split(".")
        assert section in SECTIONS
        assert fact in TYPES[section].__struct_fields__
        assert name in FACT_WORDS


@pytest.mark.parametrize(
    ("host", "outcome"),
    [
        (System(os="linux", arch="x86_64"), "skipped"),
        (System(os="linux", arch="x86_64", cpu=Cpu(flags=("avx", "avx2", "fma"))), "clean"),
        (None, "not applicable"),
    ],
)
def test_a_rule_that_lacks_a_fact_is_skipped_by_its_name(host, outcome):
    (rule,) = (one for one in RULES if one.name == "cpu-no-avx")
    found = diagnose(Snapshot(host=host, frameworks=FOUND), load_matrix(), (rule,))
    assert [one.gap.reason for one in found.skipped] == (
        ["the processor could not be seen"] if outcome == "skipped" else []
    )
    assert bool(found.clean) == (outcome == "clean")


@pytest.mark.parametrize(("cpu", "missing"), [(None, ("host.cpu",)), (Cpu(flags=()), ())])
def test_an_open_cause_names_the_fact_that_it_waits_for(cpu, missing):
    snapshot = Snapshot(
        host=System(os="linux", arch="x86_64", cpu=cpu), frameworks=FOUND, live=Live(symptoms=(SYMPTOM,))
    )
    (cause,) = (one for one in rank(snapshot, (), load_rules()) if one.key == "cpu-no-avx")
    assert cause.state == "open"
    assert cause.missing == missing
