"""Sentences of a remedy for other circumstances are left out, and what is not known leaves out nothing."""

import re

import pytest

from gpudoctor.diagnosis.circumstances import circumstances_of, said_here, steps_here
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.fix import Ask, Run
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.rules.load import load_rules
from gpudoctor.tables import rows_of
from tests.whole import gpu, machine

SENTENCES = {
    "windows": "On Windows, enlarge the paging file.",
    "kubernetes": "In Kubernetes, mount an emptyDir.",
    "data-centre": "On data-centre GPUs there is a package.",
    "virtual": "In a virtual machine, pass the processor through.",
    "compiling": "While a package compiles, give it fewer jobs.",
    "volta": "On GPUs before Volta float32 is faster.",
}


@pytest.mark.parametrize(
    ("name", "words", "kept"),
    [
        ("windows", "windows", True),
        ("windows", "linux", False),
        ("windows", "", True),
        ("kubernetes", "at-docker container", False),
        ("kubernetes", "at-docker at-kubernetes", True),
        ("kubernetes", "linux container", True),
        ("data-centre", "gpu-geforce", False),
        ("data-centre", "gpu-datacenter", True),
        ("virtual", "bare-metal", False),
        ("virtual", "linux", True),
        ("compiling", "of-a-text linux", False),
        ("compiling", "of-a-text compiles", True),
        ("compiling", "linux", True),
        ("volta", "gpu-from-volta", False),
        ("volta", "gpu-before-volta", True),
    ],
)
def test_a_sentence_for_another_circumstance_is_left_out(name, words, kept):
    said = said_here(f"Do this. {SENTENCES[name]} Then do that.", frozenset(words.split()))
    assert (SENTENCES[name] in said) is kept and said.startswith("Do this.") and said.endswith("Then do that.")


def test_what_leans_on_a_sentence_goes_with_it():
    assert said_here("Do this. On Windows, do that. Or leave it.", frozenset(("linux",))) == "Do this."


@pytest.mark.parametrize("name", sorted(SENTENCES))
def test_no_remedy_is_left_empty(name):
    words = frozenset(["linux", "at-docker", "gpu-geforce", "bare-metal", "of-a-text", "gpu-from-volta"])
    assert said_here(SENTENCES[name], words) == SENTENCES[name]
    assert steps_here((Ask(text=SENTENCES[name]),), words) == (Ask(text=SENTENCES[name]),)
    assert steps_here((Run(argv=("ls",)), Ask(text=SENTENCES[name])), words) == (Run(argv=("ls",)),)


def test_what_the_facts_tell():
    seen = SnapshotView(machine(gpus=(gpu("NVIDIA GeForce RTX 3060", "8.6"),)))
    assert {"gpu-geforce", "gpu-from-volta"} <= circumstances_of(seen)


def test_each_lead_begins_some_sentence_that_is_said():
    records = [one.remedy for one in all_causes().values() if one.remedy]
    said = [text for one in records for text in (one.say, one.also, *(row.say for row in one.at))]
    said += [rule.manual.replace("\n", " ") for rule in load_rules()]
    for lead, _, _ in rows_of("knowledge/circumstances"):
        assert any(re.search(rf"(?:^|[.:!?] +)(?:{lead})", text) for text in said), lead
