"""How many GPUs a text names; numbers beside a product that count something else."""

import pytest

from gpudoctor.tickets.products import count_in

TEXTS = [
    ("两张 RTX 3090", 2),
    ("双卡 RTX 4090", 2),
    ("第二张 RTX 3080", 1),
    ("2x A100 40GB", 2),
    ("I have 4 x RTX 3090", 4),
    ("8*V100 server", 8),
    ("two RTX 4090s in one box", 2),
    ("four Tesla T4 cards", 4),
    ("a server with 8 H100s", 8),
    ("dual RTX 3090", 2),
    ("NVIDIA A40 (x2)", 2),
    ("1080 Ti x2", 2),
    ("8 卡 A100", 8),
    ("4 x MI210", 4),
    ("a single RTX 3060", 1),
    ("Windows 10 RTX 3090", 1),
    ("CUDA 12 A100", 1),
    ("python 3 RTX 3060", 1),
    ("RTX 3090 x4 PCIe link", 1),
    ("RTX 4090 with 2 monitors", 1),
    ("RTX 3090 (24 GB)", 1),
    ("cuda:3 RTX 3090", 1),
    ("GPU 2: A100", 1),
]


@pytest.mark.parametrize(("text", "count"), TEXTS)
def test_how_many_are_named(text, count):
    assert count_in(text) == count
