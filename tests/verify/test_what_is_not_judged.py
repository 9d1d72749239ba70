"""Only what a table states is said to fit; JAX's own builds, ROCm's indexes and old Macs by what their tables have."""

from typing import Any

import pytest

from gpudoctor.assist.tools.matrix import Wanted, machine_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify

MATRIX = load_matrix()
BLACKWELL = {"gpu": ("RTX 5090",), "driver": "580.65.06", "python": "3.10"}
ADA = {"gpu": ("RTX 4090",), "driver": "580.65.06", "python": "3.10"}
AMPERE = {"gpu": ("RTX 3090",), "driver": "530.41.03", "python": "3.8"}
RADEON = {"gpu": ("RX 7900 XTX",), "python": "3.10"}
JAX_PAGE = " -f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html"
ROCM = " --index-url https://download.pytorch.org/whl/rocm7.2"
JAXLIB = "pip install jaxlib==0.4.12+cuda12."


@pytest.mark.parametrize(
    ("command", "machine", "word", "says"),
    [
        ("pip install paddlepaddle-gpu==2.6.1", BLACKWELL, "not known", "Not judged for this GPU"),
        ("pip install paddlepaddle-gpu==2.6.1", {"python": "3.10"}, "fits", "GPU"),
        ("docker run --gpus all nvcr.io/nvidia/pytorch:23.05-py3", BLACKWELL, "does not fit", "CUDA 12.1"),
        ("docker run --gpus all nvcr.io/nvidia/pytorch:25.03-py3", BLACKWELL, "fits", ""),
        ("docker run --gpus all nvcr.io/nvidia/pytorch:23.05-py3", ADA, "fits", ""),
        (f"{JAXLIB}cudnn89{JAX_PAGE}", AMPERE, "fits", "Not judged for this GPU"),
        # JAX 0.4.12 asked for it, and nobody ever had it.
        (f"{JAXLIB}cudnn88{JAX_PAGE}", AMPERE, "not known", "cuda12.cudnn89"),
        (f"{JAXLIB}cudnn89", AMPERE, "does not fit", "jax_cuda_releases.html"),
        (f"{JAXLIB}cudnn89{JAX_PAGE}", {"os": "windows"}, "does not fit", "linux-x86_64"),
        (f"{JAXLIB}cudnn89{JAX_PAGE}", AMPERE | {"driver": "470.199.02"}, "does not fit", "525.60.13"),
        (f"pip install torch==2.0.1{ROCM}", RADEON, "does not fit", "2.11.0 to "),
        (f"pip install torch==2.0.1{ROCM}", {}, "does not fit", "2.11.0 to "),
        (f"pip install torch==2.13.0{ROCM}", {}, "not known", "AMD"),
        (f"pip install torch==2.13.0{ROCM}", RADEON, "fits", ""),
        # The release of torchvision is its own.
        (f"pip install torchvision==0.28.0{ROCM}", RADEON, "not known", ""),
        ("pip install torch==2.9.1", {"macos": "13.5"}, "fits", "from macOS 14 on. On 13.5"),
        ("pip install torch==2.9.1", {"macos": "14.0"}, "fits", ""),
        ("pip install torch==2.9.1", {"os": "macos"}, "fits", "from macOS 14 on."),
        ("pip install torch==2.9.1", {"macos": "13.5"}, "fits", "!cudnn"),
    ],
)
def test_a_command(command: str, machine: dict[str, Any], word: str, says: str) -> None:
    found = verify(command, Given(machine=machine_of(Wanted(**machine), MATRIX)), MATRIX)
    assert found.word == word, found.found
    said = " ".join(
        " ".join((one.because or "", one.instead or "", *one.notes, *one.not_judged)) for one in found.found
    )
    assert (says.removeprefix("!") in said) is not says.startswith("!"), said
