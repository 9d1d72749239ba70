"""Wheels, symbols, libraries, faults and recipes."""

import json

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.look_up.look_up import look_up
from gpudoctor.look_up.records import purposes
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify

MATRIX = load_matrix()
SYSTEMS = {"debian": "linux-x86_64", "fedora": "linux-x86_64", "suse": "linux-x86_64", "windows": "windows-x86_64"}


def facts(question: str) -> dict[str, str]:
    found = look_up(question, MATRIX).found
    return {row.name: row.value for one in found for row in one.rows}


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("torch 2.0.1", "2023-05-08"),
        ("torch 2.0.1+cu118", "2023-05-08"),
        ("tensorflow 2.16.1", "2024-03-09"),
        ("nvidia-cudnn-cu12 9.1.0.70", "2024-04-22"),
        ("driver 535.183.01", "2024-06-04"),
        ("driver 580", "2025-08-04"),
        ("torch 99.0", None),
    ],
)
def test_when_a_release_came_out(question, day):
    assert facts(question).get("released") == day


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("ollama 0.12.0", {"driver": "531 or newer", "GPUs": "compute capability from 5.0 on"}),
        ("ollama 0.32.0", {"driver": "570 or newer", "GPUs": "compute capability from 5.0 to 6.2"}),
        ("ollama 0.5.4", {"CUDA": "11.3, 12.4", "driver": None}),
        ("llama.cpp", {"GPUs": "compute capability from 5.0 on", "note": "builds with CUDA 12"}),
        ("onnxruntime-gpu 1.18.0", {"built for CUDA": "11", "cuDNN": "8"}),
        ("onnxruntime-gpu 1.27.0", {"built for CUDA": "13", "cuDNN": "9"}),
        ("cupy-cuda12x 12.2.0", {"built for CUDA": "12", "NumPy": "<1.27,>=1.20"}),
        ("jax 0.4.26", {"works with NumPy 2": "yes"}),
        ("jax 0.4.19", {"works with NumPy 2": "no"}),
        ("vllm 0.10.0", {"torch": "==2.7.1"}),
    ],
)
def test_what_a_release_is_made_for(question, expected):
    assert {name: facts(question).get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "flash_attn-2.7.4+cu12torch2.6cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
            {"Python": "3.11", "CUDA": "12", "torch": "2.6", "goes with": "torch 2.6.0+cu124"},
        ),
        (
            "https://x.example/flash_attn-2.7.4%2Bcu12torch2.6cxx11abiTRUE-cp310-cp310-linux_x86_64.whl",
            {"C++ ABI": "new (cxx11abiTRUE)", "goes with": "torch 2.6.0+cu126"},
        ),
        (
            "torch-2.6.0+cu124-cp312-cp312-linux_x86_64.whl",
            {"built for": "CUDA 12.4", "cuDNN": "9.1.0.70", "C++ ABI": "old"},
        ),
        (
            "torch-2.7.0+cu128-cp313-cp313t-manylinux_2_28_aarch64.whl",
            {"Python": "3.13, free-threaded", "platform": "Linux on aarch64, glibc 2.28 or newer", "C++ ABI": "new"},
        ),
        ("bitsandbytes-0.45.0-py3-none-manylinux_2_24_x86_64.whl", {"Python": "any 3"}),
        ("numpy-1.24.4-cp38-cp38-macosx_11_0_arm64.whl", {"platform": "macOS on arm64, 11.0 or newer"}),
        ("x-1.0-cp39-abi3-win_amd64.whl", {"Python": "3.9 and newer", "platform": "Windows on x86_64"}),
        ("y-1.0-cp310-cp310-manylinux2014_x86_64.whl", {"platform": "Linux on x86_64, glibc 2.17 or newer"}),
    ],
)
def test_a_wheel(name, expected):
    found = facts(name)
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("text", "library", "abi"),
    [
        ("undefined symbol: _ZN3c106detail14torchCheckFailEPKcS2_jRKSs", "libc10.so or libtorch_cpu.so", "old"),
        (
            "a.so: undefined symbol: _ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcE",
            "libc10.so or libtorch_cpu.so",
            "new",
        ),
        ("undefined symbol: _ZN2at4_ops5zeros4callEN3c108ArrayRefINS2_6SymIntEEE", "libtorch_cpu.so", None),
        ("undefined symbol: _ZNK10tensorflow8OpKernel11TraceStringB5cxx11ERKNS_15OpKernelContextEb", None, "new"),
        ("undefined symbol: ncclCommRegister", "libnccl.so.2", None),
        ("undefined symbol: cublasLtGetStatusString, version libcublasLt.so.11", "libcublasLt.so", None),
        ("symbol __nvJitLinkAddData_12_1, version libnvJitLink.so.12 not defined", "libnvJitLink.so", None),
        ("undefined symbol: iJIT_NotifyEvent", "ITT, which MKL had until 2024.0", None),
        ("version `GLIBCXX_3.4.32' not found (required by x.so)", "libstdc++.so.6", None),
        ("version `GLIBC_2.34' not found", "the C library", None),
    ],
)
def test_a_symbol(text, library, abi):
    found = facts(text)
    assert library in (found["should be in"], None)
    assert found.get("C++ ABI of the caller") == abi


def test_who_ships_a_library():
    found, day = look_up("nvidia-cudnn-cu11 8.5.0.96", MATRIX).found
    assert day.kind == "release"
    assert {row.name for row in found.rows} == {f"torch {one}+cu117" for one in ("1.13.0", "1.13.1", "2.0.0", "2.0.1")}
    assert look_up("nvidia-cudnn-cu12==8.5.0.96", MATRIX).found == ()


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("torch 1.13.1", True),
        ("torch==1.13.1+cu117", True),
        ("torch 2.0.0", False),
        ("pytorch 2.5.0", True),
        ("torch 2.5.1", False),
        ("driver 545.29.06", True),
        ("nvidia driver 545.23.08", True),
        ("driver 550.90.07", False),
        ("container toolkit 1.7.0", True),
        ("nvidia-container-toolkit 1.18.0", False),
        ("tensorflow 2.16.1", True),
        ("tensorflow 2.17.0", False),
    ],
)
def test_known_faults(question, known):
    assert (any(one.kind == "fault" for one in look_up(question, MATRIX).found)) is known


def test_every_line_of_a_recipe_passes_verify():
    for purpose in purposes(MATRIX):
        for recipe in look_up(purpose, MATRIX).found:
            system = next(row.value for row in recipe.rows if row.name == "system")
            family = system if system in ("debian", "fedora", "suse") else None
            machine = Machine(platform=SYSTEMS.get(system), python="3.10")
            verdicts = verify("\n".join(recipe.commands), Given(machine=machine, distribution=family), MATRIX)
            wrong = [
                (one.command, one.because) for one in verdicts.found if one.word in ("does not fit", "does nothing")
            ]
            assert not wrong, (recipe.subject, wrong)
            assert recipe.source
            assert recipe.checked


@pytest.mark.parametrize(
    "question", ["frobnicate", "", "x" * 10_000, "\0\1", "_" * 5000, "....whl", "torch 9999999999"]
)
def test_what_is_not_known_is_said_so(question):
    result = CliRunner().invoke(cli, ["look-up", question])
    assert result.exit_code == 3
    assert "not in the tables" in " ".join(result.output.split())


def test_json():
    result = CliRunner().invoke(cli, ["look-up", "torch", "1.13.1", "--format", "json"])
    assert result.exit_code == 0
    assert json.loads(result.output)["found"][0]["kind"] == "fault"


@pytest.mark.parametrize(("name", "family"), [("ubuntu 22.04", "debian"), ("Rocky", "fedora"), ("opensuse", "suse")])
def test_a_recipe_for_a_distribution_is_that_of_its_family(name, family):
    found = look_up(f"container-toolkit {name}", MATRIX).found
    assert found == look_up(f"container-toolkit {family}", MATRIX).found != ()
