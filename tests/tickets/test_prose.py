"""What a reporter tells in sentences; and what a sentence names without telling it of this machine."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.read import ingest
from tests.tickets.stated import fact


def read(text):
    return ingest(text.encode(), load_matrix())


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "I am on Ubuntu 22.04 with an RTX 5090, driver 570.86, and torch 2.5.1+cu124, python 3.11.",
            {
                "host.distribution_version": "22.04",
                "gpus.0.name": "NVIDIA GeForce RTX 5090",
                "driver.release": "570.86",
                "frameworks.torch.version": "2.5.1+cu124",
                "frameworks.torch.cuda": "12.4",
                "interpreter.version": "3.11",
            },
        ),
        (
            "We use Windows 11, a GTX 1650 and TensorFlow 2.16.1 on Python 3.10.11",
            {
                "host.os": "windows",
                "gpus.0.name": "NVIDIA GeForce GTX 1650",
                "frameworks.tensorflow.version": "2.16.1",
                "interpreter.version": "3.10.11",
            },
        ),
        ("An A100 with jax version 0.4.30.", {"gpus.0.name": "NVIDIA A100", "frameworks.jax.version": "0.4.30"}),
        ("pip list:\ntorch 2.3.0+cu121\nnumpy 2.0.1", {"frameworks.torch.cuda": "12.1", "packages.numpy": "2.0.1"}),
        ("OS: Windows 10, Ubuntu app (WSL 1)", {"container.wsl.version": "1"}),
        ("OS: Ubuntu 22.04 on WSL 1.3.11", {"container.wsl.version": "2"}),
        ("OS: Ubuntu 22.04 (WSL2)", {"container.wsl.version": "2"}),
        # An answer that a person repeats stands beside other facts.
        (
            "Ubuntu 22.04, RTX 3090, driver 470.57.02, torch 2.3.0+cu121. torch.cuda.is_available() is False",
            {"host.distribution_version": "22.04", "driver.release": "470.57.02", "frameworks.torch.cuda": "12.1"},
        ),
        # A comma parts Chinese sentences.
        ("系统 win10，驱动 531.18，nvidia-smi 正常", {"host.os": "windows", "driver.release": "531.18"}),
        # Told twice is told once.
        ("My RTX 3090 is idle. The RTX 3090 has 24 GB.", {"gpus.0.name": "NVIDIA GeForce RTX 3090"}),
        # A label outranks a sentence, and a tool's output both.
        ("PyTorch: 2.4.0+cu121\nMy torch 2.1.0 is idle", {"frameworks.torch.version": "2.4.0+cu121"}),
        ("Driver Version: 470.57.02", {"host.os": "linux"}),
        ('File "/home/x/train.py", line 3', {"host.os": "linux"}),
        ("libcudnn.so.8: cannot open shared object file", {"host.os": "linux"}),
        (r"File C:\Users\x\train.py", {"host.os": "windows"}),
        ("Could not load dynamic library 'cudart64_110.dll'", {"host.os": "windows"}),
        ('File "/Users/x/train.py", in /usr/local/lib/python3', {"host.os": "macos"}),
    ],
)
def test_told_in_passing(text, facts):
    made = read(text)
    assert {path: fact(made, path) for path in facts} == facts


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("It worked with torch 2.1.0.", "frameworks"),
        ("torch 2.1.0 runs and torch 2.5.0 does not", "frameworks"),
        ("Should I downgrade to TensorFlow 2.10?", "frameworks"),
        ("pip install torch 2.1.0", "frameworks"),
        ("Keras 3 needs tensorflow 2.16", "frameworks"),
        ("The RTX 3090 is idle, the RTX 4090 is not", "gpus"),
        ("We use a T5 model on a M1 with L2 loss", "gpus"),
        ("Radeon 780M Graphics", "gpus"),
        ("The latest driver 580.65 is out", "driver"),
        ("upgrade to driver 580.65.06", "driver"),
        ("torch 2.10.1 for CUDA 12.4", "driver"),
        ("Ubuntu 22.04 in one room, Windows 11 in the other", "host"),
        ("libcudnn.so.8 on one, cudnn64_8.dll on the other", "host"),
        ("python 3.9 used to do it", "interpreter"),
    ],
)
def test_what_is_not_told_of_this_machine(text, section):
    assert isinstance(getattr(read(text).snapshot, section), Gap)
