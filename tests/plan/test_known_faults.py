"""Known faults of single releases: which a machine may meet, and how they are said."""

import pytest

from gpudoctor.facts.python import Package, Packages
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.look_up_types import KnownFault
from gpudoctor.plan.known_faults import fault_note, faults_of, may_be_met
from gpudoctor.plan.machine import Machine

MATRIX = load_matrix()
LINUX = Machine(platform="linux-x86_64", python="3.10", capabilities=(Capability("8.6"),))
WINDOWS = Machine(platform="windows-x86_64", python="3.10", capabilities=(Capability("8.6"),))
WSL = Machine(platform="linux-x86_64", python="3.10", wsl=True)

#: A release, the machine, what is beside it, and how many faults it may meet.
MET = [
    ("torch", "2.3.0+cu121", WINDOWS, {}, 1),
    ("torch", "2.3.0+cu121", LINUX, {}, 0),
    ("torch", "2.3.1+cu121", WINDOWS, {}, 0),
    ("torch", "1.12.0", LINUX, {}, 1),
    ("torch", "2.6.0+cu126", LINUX, {}, 1),
    ("torch", "2.6.0+cu124", LINUX, {}, 0),
    # Which build it is was not said; nor is a word that is no version a release.
    ("torch", "2.6.0", LINUX, {}, 1),
    ("torch", "nightly", LINUX, {}, 0),
    ("torchvision", "2.6.0", LINUX, {}, 0),
    # Only one of the listed systems is known of, or the Python is not.
    ("torch", "2.3.0+cu121", WSL, {}, 0),
    ("torch", "2.3.0+cu121", Machine(), {}, 1),
    ("jaxlib", "0.4.27", Machine(platform="linux-x86_64"), {}, 1),
    ("jaxlib", "0.4.28", LINUX, {}, 0),
    # The other package is not there: that it comes later is possible.
    ("setuptools", "75.1.0", LINUX, {"numpy": "2.0.0"}, 2),
    ("setuptools", "75.1.0", LINUX, {"torch": "1.10.2+cu113"}, 2),
    ("torch", "1.12.1", LINUX, {}, 0),
    ("setuptools", "75.1.0", LINUX, {"torch": "2.1.2+cu121"}, 1),
    ("setuptools", "75.1.0", LINUX, {"torch": "2.4.0+cu121"}, 0),
    ("setuptools", "82.0.1", LINUX, {"torch": "2.1.2"}, 1),
    ("setuptools", "82.0.1", LINUX, {"torch": "2.8.0"}, 0),
    ("nvidia-container-toolkit", "1.14.3", WSL, {}, 2),
    ("nvidia-container-toolkit", "1.17.6", WSL, {}, 1),
    ("tensorflow", "2.14.1", Machine(python="3.11", platform="linux-x86_64"), {}, 1),
    ("tensorflow", "2.14.1", LINUX, {}, 0),
    ("jaxlib", "0.4.27", LINUX, {}, 1),
    ("jaxlib", "0.4.27", Machine(python="3.12", platform="linux-x86_64"), {}, 0),
]


@pytest.mark.parametrize(("product", "version", "machine", "beside", "number"), MET)
def test_faults_that_may_be_met(product, version, machine, beside, number):
    packages = Packages(installed=tuple(Package(name=name, version=one) for name, one in beside.items()))
    met = [one for one in faults_of(product, version, MATRIX) if may_be_met(one, machine, packages)]
    assert len(met) == number, met


def test_what_is_not_known_keeps_no_fault_away():
    assert all(may_be_met(one, Machine(), None) for one in MATRIX.table("faults"))


def test_every_fault_has_its_source_and_a_way_out():
    rows = MATRIX.table("faults")
    assert len(rows) >= 25
    assert all(one.source and one.checked and one.affected for one in rows)
    assert len({(one.product, one.affected, one.says) for one in rows}) == len(rows)


def test_without_a_release_all_of_a_product_are_named():
    """Those of one build, too."""
    named = list(faults_of("torch", None, MATRIX))
    assert named == [one for one in MATRIX.table("faults") if one.product == "torch"]
    assert any(one.builds for one in named)
    assert list(faults_of("no-such-product", None, MATRIX)) == []


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"fixed": "2.1", "instead": "2.0", "where": "Windows"}, "Known fault (Windows): It ends. Mended in 2.1."),
        ({"instead": "take 2.0"}, "Known fault: It ends. Until then: take 2.0."),
        ({}, "Known fault: It ends."),
    ],
)
def test_a_fault_in_a_line(facts, said):
    row = KnownFault(product="x", affected=("==2",), says="It ends.", source="y", checked="2026-11-01", **facts)
    assert fault_note(row) == said
