"""Questions as an assistant gets them, the tools it calls, and what their answers must and must not hold.

Each is of a class in which a triage without the tables once misled: the build for another system, an image that is
newer than the driver, an extension for another torch, a command that nobody on that machine can run.
"""

from typing import Any, NamedTuple

import msgspec
import pytest

from gpudoctor.assist.folders import folders_of
from gpudoctor.assist.tool import Session, Tool
from gpudoctor.assist.tools.answering import ANSWER
from gpudoctor.assist.tools.looking_up import LOOK_UP
from gpudoctor.assist.tools.matrix import FIT
from gpudoctor.assist.tools.verifying import VERIFY_DESCRIBED
from gpudoctor.facts.codec import encode

SESSION = Session(folders_of(()))


class Call(NamedTuple):
    """A call, and parts that its answer holds ("!": does not hold)."""

    tool: Tool
    arguments: dict[str, Any]
    holds: tuple[str, ...]


def answer(text: str, *holds: str) -> Call:
    return Call(ANSWER, {"text": text}, holds)


def verify(text: str, machine: dict[str, Any], *holds: str) -> Call:
    return Call(VERIFY_DESCRIBED, {"text": text, **machine}, holds)


def fit(machine: dict[str, Any], *holds: str, packages: tuple[str, ...] = ("torch",)) -> Call:
    return Call(FIT, {"packages": packages, **machine}, holds)


def look_up(what: str, *holds: str) -> Call:
    return Call(LOOK_UP, {"what": what}, holds)


WINDOWS = {"gpu": ("RTX 3060",), "driver": "551.86", "python": "3.11", "os": "windows"}
A100 = {"gpu": ("A100",), "driver": "535.183.01"}
P40 = {"gpu": ("Tesla P40",), "driver": "550.90.07", "python": "3.10"}
OLD_JAX = {"gpu": ("GTX 1080 Ti",), "driver": "470.199.02", "python": "3.6"}
RADEON = {"gpu": ("RX 7900 XTX",), "python": "3.12"}
BLACKWELL = {"gpu": ("RTX 5090",), "driver": "580.65.06", "python": "3.10"}

TRANSCRIPTS = {
    "torch on Windows from the usual index is the CPU build": [
        answer(
            "Windows 11, Python 3.11.9, NVIDIA GeForce RTX 3060, driver 551.86\n>>> torch.__version__\n'2.5.1+cpu'\n"
            ">>> torch.cuda.is_available()\nFalse",
            *("torch-cpu-only", "torch==2.5.1+cu124", "whl/cu124", "!pip install torch "),
        ),
        verify("pip install torch torchvision", WINDOWS, "does not fit", "whl/cu"),
        fit(WINDOWS, "--index-url https://download.pytorch.org/whl/cu"),
    ],
    "an image of vLLM that is newer than the driver": [
        answer(
            "Ubuntu 22.04, A100, NVIDIA driver 535.183.01\ndocker run --gpus all vllm/vllm-openai:v0.30.0 --model x\n"
            "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.0, please update your driver",
            *("driver-too-old", "nvidia-driver-580", "!dnf", "!<"),
        ),
        verify("docker run --gpus all vllm/vllm-openai:v0.30.0", A100, "does not fit", "580.65", "openai:v0.1"),
    ],
    "xformers for the torch that is installed": [
        answer(
            "Windows 11, Python 3.10.6, RTX 3080, driver 546.33, torch 2.1.2+cu121, xformers 0.0.25\n"
            "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:\n"
            "    PyTorch 2.2.1+cu121 with CUDA 1201 (you have 2.1.2+cu121)",
            # It requires torch==2.1.2, which 2.1.2+cu121 is: pip leaves that in place.
            "xformers==0.0.23.post1",
        ),
        verify(
            "pip install xformers==0.0.25",
            {"gpu": ("RTX 3080",), "python": "3.10", "installed": ("torch==2.1.2+cu121",)},
            *("does not fit", "2.2.1"),
        ),
    ],
    "JAX with an old Python and an old driver": [
        answer(
            "Ubuntu 18.04, Python 3.6.9, GTX 1080 Ti, driver 470.199.02\n$ pip install -U 'jax[cuda12]'\n"
            "ERROR: Could not find a version that satisfies the requirement jaxlib (from versions: none)",
            *("python-unsupported-by-framework", "525.60.13", "!pip install --upgrade"),
        ),
        verify("pip install -U 'jax[cuda12]'", OLD_JAX, "does not fit"),
        fit(OLD_JAX, "No GPU build of JAX fits", "525.60.13", packages=("jax",)),
    ],
    "a pip from before the wheels": [
        answer(
            "Ubuntu 14.04, Python 3.4.3, GeForce GTX 970, driver 367.57\n$ pip3 --version\npip 1.5.4\n"
            "  Could not find any downloads that satisfy the requirement tensorflow-gpu",
            *("pip-too-old", "pip<19.2", "tensorflow-gpu==1.4.1", "!--upgrade pip "),
        ),
    ],
    "the driver's packages were removed": [
        answer(
            "After apt autoremove. Ubuntu 22.04, RTX 3070\n$ nvidia-smi\nCommand 'nvidia-smi' not found, but can be "
            "installed with:\nsudo apt install nvidia-utils-470",
            *("drv-absent", "ubuntu-drivers install", "!nvidia-utils-470"),
        ),
    ],
    "a processor without AVX": [
        answer(
            "Ubuntu 20.04, Python 3.8.10, tensorflow 2.4.0, Intel Xeon X5650, GTX 1060\n$ python3 -c 'import "
            "tensorflow'\nIllegal instruction (core dumped)",
            *("cpu-no-avx", "!--upgrade torch", "tensorflow==2.4.4"),
        ),
        look_up("tensorflow 2.4.0", "AVX2", "2.4.1"),
    ],
    "an extension that has no code for a Pascal card": [
        answer(
            "Ubuntu 22.04, Python 3.10, torch 2.4.0+cu121, flash-attn 2.6.3, Tesla P40, driver 550.90.07\n"
            "ImportError: /v/site-packages/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c",
            *("ext-abi-mismatch", "8.0", "!flash-attn=="),
        ),
        verify("pip install flash-attn --no-build-isolation", P40, "does not fit", "8.0"),
    ],
    "PyTorch for an AMD GPU": [
        answer(
            "Ubuntu 24.04, Python 3.12, AMD Radeon RX 7900 XTX, torch 2.5.1+cu124\n>>> torch.cuda.is_available()\n"
            "False",
            *("torch-backend-gpu-vendor", "+rocm", "whl/rocm", "!nvidia-smi"),
        ),
        fit(RADEON, "whl/rocm", "gfx1100"),
        verify("pip install torch", RADEON, "does not fit"),
    ],
    "torchvision of another torch, and a lock file that holds both": [
        answer(
            "RuntimeError: operator torchvision::nms does not exist\nUbuntu 22.04, Python 3.10, torch 2.6.0+cu124, "
            "torchvision 0.19.0, RTX 3090, driver 550.90",
            *("torch-companion-version", "torchvision==0.21.0+cu124", "whl/cu124"),
        ),
        verify("torch==2.6.0\ntorchvision==0.19.0", BLACKWELL, "does not fit", "0.19.0"),
        look_up("setuptools 82.0", "pkg_resources", "setuptools<70"),
    ],
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_answers_hold_what_is_right_and_nothing_that_misleads(name: str) -> None:
    for call in TRANSCRIPTS[name]:
        arguments = msgspec.convert(call.arguments, call.tool.takes)
        found = encode(call.tool.run(arguments, SESSION)).decode()
        for part in call.holds:
            held = msgspec.json.encode(part.removeprefix("!")).decode().strip('"') in found
            assert held is not part.startswith("!"), (call.tool.name, part, found)


def test_a_lock_file_is_judged_by_its_name(tmp_path) -> None:
    path = tmp_path / "uv.lock"
    path.write_text(
        '[[package]]\nname = "torch"\nversion = "2.6.0"\n[[package]]\nname = "torchvision"\nversion = "0.19.0"\n'
    )
    asked = msgspec.convert({"path": str(path), "gpu": ["RTX 3090"], "python": "3.10"}, VERIFY_DESCRIBED.takes)
    found = VERIFY_DESCRIBED.run(asked, Session(folders_of((str(tmp_path),))))
    assert found.word == "does not fit"
    assert any((one.line, one.word) == (5, "does not fit") for one in found.verdicts), found


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_reply_is_short_and_each_line_is_said_once(name: str) -> None:
    for call in TRANSCRIPTS[name]:
        if call.tool is ANSWER:
            reply = call.tool.run(msgspec.convert(call.arguments, call.tool.takes), SESSION).reply
            assert 2 <= len(reply) <= 12
            assert len(set(reply)) == len(reply)
