"""Each statement of a reporter: it is read in its examples, and not in what asks, wishes or denies it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from knowledge_files import statement_records

from gpudoctor.diagnosis.condition import CONDITIONS
from gpudoctor.diagnosis.refutations import refutation
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.tickets.pasted import plain
from gpudoctor.tickets.statements import statements_in

RECORDS = {one.id: one for one in statement_records()}
EXAMPLES = [(line, name) for name, one in RECORDS.items() for line in one.examples]
UNLIKE = [(line, name) for name, one in RECORDS.items() for line in one.unlike]
REFUTED = [(cause.id, name) for cause in all_causes().values() for name in cause.refuted_by if name not in CONDITIONS]


def said(text):
    return {one.statement.id: one.line for one in statements_in(plain(text, "utf-8"))}


@pytest.mark.parametrize(("line", "name"), EXAMPLES)
def test_what_is_said_is_read_where_it_stands(line, name):
    assert said(f"Something fails.\n\n{line}\n").get(name) == 3


@pytest.mark.parametrize(("line", "name"), UNLIKE)
def test_what_sounds_alike_is_not_said(line, name):
    assert name not in said(line)


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_a_record_is_whole(record):
    assert record.examples and record.unlike
    assert record.say[0].islower() and not record.say.endswith(".")


@pytest.mark.parametrize("name", ["nvidia-smi-works", "another-program-uses-gpu"])
def test_in_a_text_of_two_places_it_is_not_known_which_is_meant(name):
    line = RECORDS[name].examples[0]
    assert name in said(line)
    assert name not in said(f"{line}\nInside the docker container it fails.")


@pytest.mark.parametrize(("cause", "shown"), REFUTED)
def test_what_is_said_refutes(cause, shown):
    says = [one.id for one in RECORDS.values() if shown == one.id or shown in one.shows]
    assert says, "a condition, or what a statement shows"
    for name in says:
        assert refutation(cause, SnapshotView(Snapshot(), {name})) == RECORDS[name].say
    assert refutation(cause, SnapshotView(Snapshot(), set())) is None
