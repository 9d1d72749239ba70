"""On machines where nothing is wrong, nothing is found beyond notes, and what is there is seen."""

from collections.abc import Iterator

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.versions import Capability
from gpudoctor.host.machine import dump_machine
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.probes.take import take_snapshot
from gpudoctor.rules.load import load_rules
from tests.machines import answers, parts
from tests.machines.healthy import HEALTHY, cards
from tests.machines.healthy.look import healthy_lines, look

CARDS = [card for card in vars(cards).values() if isinstance(card, cards.Card)]


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_found(name: str) -> None:
    """No error and no warning, and the verdict is not held back by a fact that was not seen."""
    report = look(name)
    assert not report.diagnosis.crashed, report.diagnosis.crashed
    assert [(one.name, one.summary) for one in report.diagnosis.findings if one.severity != "info"] == []
    assert (report.verdict, report.unseen) == (HEALTHY[name].verdict, report.unseen if HEALTHY[name].why else ())


@pytest.mark.parametrize("name", HEALTHY)
def test_what_is_there_is_seen(name: str) -> None:
    """A probe that sees nothing finds nothing wrong either."""
    snapshot = look(name).snapshot
    assert snapshot.doctor is not None
    assert snapshot.doctor.crashes == ()
    assert set(HEALTHY[name].sees) <= set(_seen(snapshot)), sorted(_seen(snapshot))
    assert HEALTHY[name].sees


def test_notes_are_rare() -> None:
    """At most one a machine on average."""
    notes = sum(len(look(name).diagnosis.findings) for name in HEALTHY)
    assert 0 < notes <= len(HEALTHY)


def test_there_are_enough_of_them() -> None:
    assert len(HEALTHY) >= 60
    assert {look(name).verdict for name in HEALTHY} >= {"healthy", "no-gpu"}


@pytest.mark.parametrize("name", [name for name in HEALTHY if HEALTHY[name].verdict == "healthy"])
def test_the_same_machine_with_a_driver_that_fails_is_not_healthy(name: str) -> None:
    """Each can fall ill: what makes it healthy is what the driver answers."""
    ill = parts.merge(HEALTHY[name].machine, answers.nvml_fails(999), answers.cuda(12040, init=999))
    snapshot = take_snapshot(RecordedHost.of(ill))
    report = report_of(snapshot, diagnose(snapshot, load_matrix(), load_rules()))
    assert report.verdict in ("findings", "incomplete")


@pytest.mark.parametrize("name", ["ubuntu-4090", "windows11-4090", "docker-t4-tensorflow", "dgx-spark"])
def test_a_machine_survives_the_way_to_json_and_back(name: str) -> None:
    again = take_snapshot(RecordedHost.load(dump_machine(HEALTHY[name].machine)))
    for section in ("host", "gpus", "driver", "packages", "frameworks", "libraries"):
        assert getattr(again, section) == getattr(look(name).snapshot, section)


@pytest.mark.parametrize("name", HEALTHY)
def test_machines_say_where_they_come_from(name: str) -> None:
    assert HEALTHY[name].provenance.partition(":")[0] in ("recorded", "reconstructed")
    assert HEALTHY[name].verdict in ("healthy", "no-gpu") or HEALTHY[name].why


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_cards_are_those_of_the_matrix(card: cards.Card) -> None:
    """The PCI id and the capability written here are also what the table of GPUs says."""
    known = load_matrix().capability(Gpu(vendor="nvidia", pci_id=card.pci_id))
    assert known == Capability("{}.{}".format(*card.capability))


def test_the_table_counts_them() -> None:
    head, *rest = healthy_lines()
    assert head.startswith(f"healthy machines: {len(HEALTHY)}; errors 0, warnings 0, ")
    assert rest == []


def _seen(snapshot: Snapshot) -> Iterator[str]:
    """Labels as they stand in `sees`."""
    if isinstance(snapshot.gpus, Gpus):
        yield f"{len(snapshot.gpus.nvidia)} GPU"
    if isinstance(snapshot.frameworks, Frameworks):
        yield from (one.label for one in snapshot.frameworks.found)
