"""The facts shown as read out of a text, and where each stands."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.facts_read import facts_read
from gpudoctor.tickets.read import ingest

TEXTS = [
    ("GPU: RTX 3060\n\nWindows 11\nPython 3.10", {"NVIDIA GeForce RTX 3060": 1, "Windows 11": 3, "Python 3.10": 4}),
    ("My setup:\n>>> import torch\n>>> torch.__version__\n'2.1.0+cpu'", {"torch 2.1.0+cpu": 4}),
    ("It fails.\nOS: Ubuntu 22.04\nNVIDIA driver: 535.54.03", {"Ubuntu 22.04": 2, "driver 535.54.03": 3}),
    ("Windows 11\n- WSL2 configured", {}),  # which of the two it is, is open
    ("- [X] WSL 2\n- [ ] WSL 1", {"WSL 2": 1}),
    (
        "Windows [Version 10.0.21343]\nLinux version 5.4.91-microsoft-standard-WSL2 (gcc 9.3)",
        {"WSL 2": 2, "kernel 5.4.91-microsoft-standard-WSL2": 2},
    ),
    # Windows is around WSL: both are true.
    (
        "Microsoft Windows [Version 10.0.19045.1]\nOS: Ubuntu 22.04\nKernel: 5.4.91-microsoft-standard-WSL2",
        {
            "Ubuntu 22.04": 2,
            "WSL 2": 3,
            "kernel 5.4.91-microsoft-standard-WSL2": 3,
            "Microsoft Windows [Version 10.0.19045.1] around WSL": 1,
        },
    ),
    ("It fails in WSL2", {"WSL 2": 1}),
    # The torch of the environment that the installer makes for one build, and the user's own.
    (
        "/tmp/pip-build-env-ab1/overlay/lib/python3.10/site-packages/torch/x.py:276\ntorch.__version__  = 2.7.0+cu126",
        {"Python 3.10": 1},
    ),
    (
        "/x/lib/python3.10/site-packages/torch/x.py:276\ntorch.__version__  = 2.7.0+cu126",
        {"torch 2.7.0+cu126": 2, "Python 3.10": 1},
    ),
    ("GPU models and configuration: GPU 0:    (UUID: GPU-a)", {}),  # a name of blanks is none
    ("GPU 0: \u3000 (UUID: GPU-a)", {}),
    ("CUDA error: no kernel image is available for execution on the device", {}),
]


@pytest.mark.parametrize(("text", "facts"), TEXTS)
def test_what_is_stated_and_where(text, facts):
    assert dict(facts_read(ingest(text.encode(), load_matrix()))) == facts


def test_what_is_only_inferred_is_not_read():
    made = ingest(b"torch 2.1.0+cu121 on an RTX 3060 does not see it", load_matrix())
    assert made.snapshot.frameworks.found[0].cuda is not None
    assert all("12.1" not in text for text, _ in facts_read(made))
