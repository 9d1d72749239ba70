"""Texts read off a picture, with l, 1, I, 0 and O taken for one another."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.read import ingest, reread

LINES = {
    "RuntimeErr0r: CUDA err0r: n0 kerne1 image is avai1able": "RuntimeError: CUDA error: no kernel image is available",
    "Driver Version: 57O.86.l6": "Driver Version: 570.86.16",
    "CUDA Version: l2.8": "CUDA Version: 12.8",
    "NVIDIA GeForce RTX 5O90": "NVIDIA GeForce RTX 5090",
    "1ibcuda.so.1 is not found": "libcuda.so.1 is not found",
    # Nothing to put right.
    "libcudnn.so.8 torch 2.1.0+cu121 sm_120 c10 A100 H100 L40S cuda:0": "",
    "x86_64-linux-gnu 0000:01:00.0 Xorg.0.log": "",
}


@pytest.mark.parametrize(("line", "meant"), LINES.items(), ids=LINES)
def test_the_rest_of_a_word_decides(line, meant):
    assert reread(line) == (meant or line)
    assert len(reread(line)) == len(line)


def test_a_message_is_recognised_and_the_facts_with_it():
    text = "CUDA err0r: n0 kerne1 image is avai1able\nGPU: NVIDIA GeForce RTX 5O90\nDriver Version: 57O.86.l6"
    made = ingest(text.encode(), load_matrix())
    assert [one.signature for one in made.symptoms] == ["no-kernel-image"]
    assert made.snapshot.gpus.devices[0].name == "NVIDIA GeForce RTX 5090"
    assert made.text.text == text


def test_where_nothing_is_known_then_either_the_text_stays():
    made = ingest(b"my p0ny is i1l and RTX 5O90", load_matrix())
    assert not made.symptoms
