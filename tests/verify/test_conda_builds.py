"""PyTorch's channel has builds for the CPU and for CUDA: which one conda takes is known where the command names it."""

import pytest

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify

GIVEN = Given(machine=Machine(platform="linux-x86_64", capabilities=(Capability("8.6"),), python="3.9"))


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("conda install pytorch -c pytorch", "not known"),
        ("conda install pytorch==2.1.0 -c pytorch", "not known"),
        ("conda install pytorch==2.1.0 pytorch-cuda=12.1 -c pytorch -c nvidia", "fits"),
        ("conda install pytorch==1.9.0 cudatoolkit=11.1 -c pytorch -c nvidia", "fits"),
        ("conda install pytorch==2.1.0 cpuonly -c pytorch", "fits"),
    ],
)
def test_a_build_that_is_not_named_is_not_known(command, word):
    assert verify(command, GIVEN, load_matrix()).word == word


def test_the_command_that_names_it_is_given():
    found = verify("conda install pytorch==2.1.0 -c pytorch", GIVEN, load_matrix()).found[0]
    assert found.instead == "conda install pytorch==2.1.0 -c pytorch pytorch-cuda=12.1 -c nvidia"
