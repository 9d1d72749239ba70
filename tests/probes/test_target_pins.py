"""What lock files and requirements.txt say of GPU packages."""

import pytest

from gpudoctor.facts.python import Pin
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.target.probe import parse_lock, parse_requirements, read_pins

UV = """version = 1
requires-python = ">=3.13"

[[package]]
name = "sympy"
version = "1.14.0"
source = { registry = "https://mirror.example/simple" }

[[package]]
name = "torch"
version = "2.9.1+cpu"
source = { registry = "https://download.pytorch.org/whl/cpu" }
wheels = [
    { url = "https://download.pytorch.org/whl/cpu/torch-2.9.1%2Bcpu-cp313-cp313-win_amd64.whl" },
]

[[package]]
name = "torch"
version = "2.9.1+cu128"
source = { registry = "https://download.pytorch.org/whl/cu128" }
"""
POETRY = """[[package]]
name = "torch"
version = "2.9.1"
description = "Tensors"
files = [
    {file = "torch-2.9.1-cp313-cp313-win_amd64.whl", hash = "sha256:0"},
]

[package.source]
type = "legacy"
url = "https://download.pytorch.org/whl/cpu"
reference = "pytorch"
"""


def test_a_uv_lock_with_two_builds() -> None:
    pins = tuple(parse_lock("uv.lock", UV))
    assert [(pin.package, pin.wanted, pin.index) for pin in pins] == [
        ("torch", "2.9.1+cpu", "whl/cpu"),
        ("torch", "2.9.1+cu128", "whl/cu128"),
    ]
    assert all(pin.is_locked for pin in pins)
    assert tuple(parse_lock("uv.lock", UV.replace("\n", "\r\n"))) == pins


def test_a_poetry_lock_names_its_source_last() -> None:
    assert tuple(parse_lock("poetry.lock", POETRY)) == (
        Pin(file="poetry.lock", package="torch", wanted="2.9.1", is_locked=True, index="whl/cpu"),
    )


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("torch==1.8.1", "==1.8.1"),
        ("torch == 1.8.1  # old", "==1.8.1"),
        ("torch>=2.0,<3", ">=2.0,<3"),
        ("tensorflow[and-cuda]>=2.16 ; python_version < '3.13'", ">=2.16"),
        ("Tensorflow_GPU", ""),
        ("torch", ""),
        ("torch === 2.0", "===2.0"),
        ("torch " + "<1" * 40 + "!", "<1" * 40),
        ("torchmetrics==1.0", None),
        ("torch @ https://example.org/torch.whl", None),
        ("-r other.txt", None),
        ("--index-url https://download.pytorch.org/whl/cpu", None),
        ("# torch==1.0", None),
        ("", None),
    ],
)
def test_requirements(line: str, wanted: str | None) -> None:
    found = [pin.wanted for pin in parse_requirements("requirements.txt", line)]
    assert found == ([] if wanted is None else [wanted])


def test_files_of_the_working_directory() -> None:
    host = RecordedHost({"/work/uv.lock": UV, "/work/requirements.txt": "torch==2.0.0\n"}, cwd="/work")
    assert [(pin.file, pin.wanted) for pin in read_pins(host)] == [
        ("uv.lock", "2.9.1+cpu"),
        ("uv.lock", "2.9.1+cu128"),
        ("requirements.txt", "==2.0.0"),
    ]
    assert read_pins(RecordedHost(cwd="/work")) == ()


@pytest.mark.parametrize("text", ["", "[[package]]\n", '[[package]]\nname = "torch"\n', "\0" * 100])
def test_damaged_lock_files(text: str) -> None:
    assert tuple(parse_lock("uv.lock", text)) == ()
