"""nvidia-smi's table where libcuda is missing: its first line has "CUDA Version: N/A"."""

import pytest

from gpudoctor.knowledge.surroundings import surroundings_in
from gpudoctor.tickets.pasted import plain
from gpudoctor.tickets.smi import parse_smi

TABLE = """| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: {cuda:<8} |
|   0  Tesla T4            Off  | 00000000:00:07.0 Off |                    0 |"""


def told(text, section):
    return [one.sections[section] for one in parse_smi(plain(text)) if section in one.sections]


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        ("nerdctl run --rm --gpus all image nvidia-smi", "docker"),
        ("root@dind:/# nvidia-smi", "docker"),
        ("nvidia-smi does run within the matroska container", "docker"),
        ("me@desk:~$ nvidia-smi", None),
    ],
)
def test_libcuda_is_missing(before, kind):
    text = f"{before}\n{TABLE.format(cuda='N/A')}"
    asked = [one.cuda_init.outcome for one in told(text, "driver") if one.cuda_init]
    assert asked == ["no-library"]
    assert [one.kind for one in told(text, "container")] == ([kind] if kind else [])


def test_a_container_that_has_it():
    text = f"docker run --rm --gpus all image nvidia-smi\n{TABLE.format(cuda='11.4')}"
    assert not [one for one in told(text, "driver") if one.cuda_init]
    assert not told(text, "container")


IPYTHON = "$ ipython\nIn [1]: import torch\nModuleNotFoundError: No module named 'torch'"


def test_python_imports_what_ipython_does_not():
    assert "imports-elsewhere" in surroundings_in(f"$ python\n>>> import torch\n>>> torch.__version__\n{IPYTHON}")
    assert "imports-elsewhere" not in surroundings_in(f">>> import torch\nNo module named 'torch'\n{IPYTHON}")
    assert "imports-elsewhere" not in surroundings_in(f">>> import numpy\n>>> numpy\n{IPYTHON}")
