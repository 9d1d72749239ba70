"""Packages that are made for a torch, a CUDA, a Python and GPUs: pairs that work, and pairs that do not."""

import json
import sys
from pathlib import Path

import pytest

from gpudoctor.facts.python import Package, Packages
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.index.files import Found
from gpudoctor.index.wheel_facts import WheelFacts
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.demand import EXTRAS
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify

MATRIX = load_matrix()
FLASH = "https://github.com/Dao-AILab/flash-attention/releases/download/v2.7.4/flash_attn-2.7.4+cu12torch2.6cxx11abi"
PYG = "pip install torch-scatter -f https://data.pyg.org/whl/torch-"
LINUX = "linux-x86_64"


def word(command: str, installed: str = "", gpu: str = "8.9", driver: str = "580.65.06", python: str = "3.11") -> str:
    pairs = [one.partition("==") for one in installed.split()]
    where = Machine(
        driver=DriverRelease(driver), capabilities=(Capability(gpu),), python=python, platform=LINUX, gpu_names=("GPU",)
    )
    packages = Packages(installed=tuple(Package(name=name, version=version) for name, _, version in pairs))
    return verify(command, Given(machine=where, packages=packages if pairs else None), MATRIX).word


@pytest.mark.parametrize(
    ("command", "given", "fits"),
    [
        ("pip install torchcodec==0.7.0", {"installed": "torch==2.8.0"}, True),
        ("pip install torchcodec==0.11.0", {"installed": "torch==2.8.0"}, False),
        ("pip install torch==2.9.0 torchtext==0.18.0", {}, False),
        ("pip install torch==2.3.1 torchtext==0.18.0", {}, True),
        ("pip install vllm==0.33.0", {"python": "3.12"}, True),
        ("pip install vllm==0.33.0", {"python": "3.12", "driver": "570.86.16"}, False),
        ("pip install vllm==0.33.0", {"python": "3.12", "gpu": "7.0"}, False),
        ("pip install torch==2.5.0 vllm==0.9.0", {}, False),
        ("pip install onnxruntime-gpu==1.27.0", {"driver": "550.54.15"}, False),
        ("pip install bitsandbytes==0.48.0", {"gpu": "5.2"}, False),
        ("pip install bitsandbytes==0.47.0", {"gpu": "5.2"}, True),
        ("pip install bitsandbytes==0.48.0", {"gpu": "6.1"}, True),
        ("pip install cupy-cuda13x", {"driver": "550.54.15"}, False),
        ("pip install cupy-cuda12x", {"driver": "550.54.15"}, True),
        ("pip install cupy-cuda11x==13.6.0", {"gpu": "12.0"}, False),
        ("pip install transformer-engine-cu13", {"installed": "torch==2.9.0+cu128"}, False),
        ("pip install transformer-engine-cu12", {"installed": "torch==2.9.0+cu128"}, True),
        (f"pip install {FLASH}FALSE-cp311-cp311-linux_x86_64.whl", {"installed": "torch==2.6.0+cu124"}, True),
        (f"pip install {FLASH}FALSE-cp311-cp311-linux_x86_64.whl", {"installed": "torch==2.8.0"}, False),
        (f"pip install {FLASH}FALSE-cp310-cp310-linux_x86_64.whl", {"installed": "torch==2.6.0"}, False),
        (f"pip install {FLASH}TRUE-cp311-cp311-linux_x86_64.whl", {"installed": "torch==2.6.0+cu124"}, False),
        (f"{PYG}2.8.0+cu128.html", {"installed": "torch==2.8.0+cu128"}, True),
        (f"{PYG}2.5.0+cu124.html", {"installed": "torch==2.8.0+cu128"}, False),
        (f"{PYG}2.8.0+cpu.html", {"installed": "torch==2.8.0+cu128"}, False),
        ("pip install nvidia-cudnn-cu12==9.10.2.21", {"gpu": "7.0"}, True),
        ("pip install nvidia-cudnn-cu12==9.11.0.98", {"gpu": "7.0"}, False),
        ("pip install nvidia-cudnn-cu12==9.1.0.70", {"gpu": "12.0"}, False),
        ("pip install tensorflow-gpu", {"python": "3.10"}, False),
        ("pip install 'tensorflow-gpu<2.12' 'numpy<2'", {"python": "3.10"}, True),
        ("pip install keras==3.12.0", {"python": "3.9"}, False),
        ("pip install tf-keras==2.15.0", {"installed": "tensorflow==2.18.0"}, False),
    ],
)
def test_pairs(command: str, given: dict[str, str], fits: bool) -> None:
    assert word(command, **given) == ("fits" if fits else "does not fit")


#: A command, and what is said of the libraries that it opens: their majors, and the release that opens those of torch.
OPENED = [
    ("pip install onnxruntime-gpu==1.18.0 torch==2.4.0", ("CUDA 11 and cuDNN 8", "CUDA 12 and cuDNN 9", "1.26.0")),
    ("pip install onnxruntime-gpu==1.23.2 torch==2.8.0", ()),
    ("pip install onnxruntime-gpu==1.23.2", ("It brings no CUDA libraries", "CUDA 12 and cuDNN 9")),
    ("pip install onnxruntime-gpu[cuda,cudnn]==1.23.2", ()),
]


@pytest.mark.parametrize(("command", "says"), OPENED)
def test_the_libraries_that_it_opens_and_does_not_bring(command: str, says: tuple[str, ...]) -> None:
    where = Machine(driver=DriverRelease("580.65.06"), capabilities=(Capability("8.9"),), python="3.11", platform=LINUX)
    found = verify(command, Given(machine=where), MATRIX)
    notes = " ".join(note for one in found.found if one.subject.startswith("onnx") for note in one.notes)
    assert found.word == "fits" and all(part in notes for part in says) and bool(notes) is bool(says)


def test_what_plans_pair_has_rows_and_rows_are_paired() -> None:
    rows = {row.package for row in MATRIX.table("extensions")}
    # No plan installs torch-directml; what it asks for is looked up.
    assert rows - {"torch-directml"} == set(EXTRAS) - {"keras", "tf-keras", "triton"}


def test_rows_write_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest vllm and Transformer Engine taken out are written again, but for what a person added."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    monkeypatch.setattr(sys, "argv", ["refresh_extensions.py"])
    from refresh_extensions import rows

    table = json.loads((Path(__file__).parents[2] / "compat" / "extensions.json").read_text())["rows"]
    kept = {row.get("dist", row["package"]): row for row in reversed(table)}
    asked = {
        "vllm": WheelFacts(requires=("torch==2.14.0", "numpy")),
        "transformer-engine-cu13": WheelFacts(requires=("pydantic", "nvidia-cublas")),
    }
    wheels = {LINUX: (">=3.8",), "linux-aarch64": (">=3.8",)}
    for dist, facts in asked.items():
        row = kept[dist]
        found = [Found(version=one, wheels=wheels, requires_python=row["requires_python"]) for one in row["versions"]]
        fresh = list(rows(dist, found, lambda *_: facts, {"sources": {}}))  # noqa: B023
        assert len(fresh) == 1
        by_hand = {"min_capability", "checked", "source"}
        assert {k: v for k, v in fresh[0].items() if k != "source"} == {
            k: v for k, v in row.items() if k not in by_hand
        }
