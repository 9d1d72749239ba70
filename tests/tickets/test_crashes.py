"""A shell's word of a program's end is read with the program that a prompt shows."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.read import ingest, with_programs


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("$ nvidia-smi\nSegmentation fault", "Segmentation fault (nvidia-smi)"),
        ("me@box:~$ sudo /usr/bin/nvidia-smi\nBus error (core dumped)", "Bus error (core dumped) (nvidia-smi)"),
        ("(env) me@box:~$ python train.py\nIllegal instruction", "Illegal instruction (python)"),
        ("It ends with\nSegmentation fault", "Segmentation fault"),
        ("$ nvidia-smi\nIt said: segmentation fault", "It said: segmentation fault"),
    ],
)
def test_the_program_is_named(text, last):
    assert with_programs(text).split("\n")[-1] == last


def test_a_crash_of_nvidia_smi_is_not_one_of_a_framework():
    symptoms = ingest(b"$ nvidia-smi\nSegmentation fault\n", load_matrix()).symptoms
    assert "smi-crashes" in {one.signature for one in symptoms}
