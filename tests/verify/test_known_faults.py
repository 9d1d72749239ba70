"""Known faults of single releases: which a machine may meet, and where verify notes them."""

import pytest

from gpudoctor.facts.python import Package, Packages
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.known_faults import faults_of, may_be_met
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify

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


@pytest.mark.parametrize(("command", "is_noted"), [("torch==2.9.1", True), ("torch==2.8.0", False)])
def test_verify_notes_them(command, is_noted):
    found = verify(f"pip install {command}", Given(machine=LINUX), MATRIX)
    assert found.word == "fits"
    assert any("conv3d" in note for one in found.found for note in one.notes) is is_noted


def test_every_fault_has_its_source_and_a_way_out():
    rows = MATRIX.table("faults")
    assert len(rows) >= 25
    assert all(one.source and one.checked and one.affected for one in rows)
    assert len({(one.product, one.affected, one.says) for one in rows}) == len(rows)
