"""Known faults of single releases: where verify notes them."""

import pytest

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify

MATRIX = load_matrix()
LINUX = Machine(platform="linux-x86_64", python="3.10", capabilities=(Capability("8.6"),))


@pytest.mark.parametrize(("command", "is_noted"), [("torch==2.9.1", True), ("torch==2.8.0", False)])
def test_verify_notes_them(command, is_noted):
    found = verify(f"pip install {command}", Given(machine=LINUX), MATRIX)
    assert found.word == "fits"
    assert any("conv3d" in note for one in found.found for note in one.notes) is is_noted
