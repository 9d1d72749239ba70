"""Dockerfiles and Compose files: what takes the GPU from every container, where it stands, and what is no mistake."""

import json

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify

MATRIX = load_matrix()
ANY = Given(machine=Machine(platform="linux-x86_64"), for_gpu=True)
CUDA = "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n"

CPU_TORCH = "RUN pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cpu"

#: Dockerfile, line of the mistake, subject.
MISTAKES = {
    "a driver": (CUDA + "RUN apt-get update && apt-get install -y nvidia-driver-535", 2, "nvidia-driver-535"),
    "its tools": (CUDA + "RUN apt-get install -y curl nvidia-utils-550", 2, "nvidia-utils-550"),
    "a package that brings one": ("FROM ubuntu:22.04\nRUN apt-get install -y cuda", 2, "cuda"),
    "asked for in the build": (CUDA + "RUN nvidia-smi", 2, "nvidia-smi"),
    "asked for in Python": (CUDA + 'RUN python3 -c "import torch; assert torch.cuda.is_available()"', 2, "python3"),
    "hidden": (CUDA + 'ENV CUDA_VISIBLE_DEVICES=""', 2, "CUDA_VISIBLE_DEVICES="),
    "hidden from the runtime": (CUDA + "ENV NVIDIA_VISIBLE_DEVICES none", 2, "NVIDIA_VISIBLE_DEVICES=none"),
    "no compute": (CUDA + "ENV NVIDIA_DRIVER_CAPABILITIES=graphics", 2, "NVIDIA_DRIVER_CAPABILITIES=graphics"),
    "stubs": (
        CUDA + "ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs:$LD_LIBRARY_PATH",
        2,
        "LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs:$LD_LIBRARY_PATH",
    ),
    "for the CPU": (CUDA + CPU_TORCH, 2, "torch==2.6.0"),
    "musl": ("FROM python:3.12-alpine\n\nRUN pip install torch", 3, "torch"),
    "no such tag": ("# for training\nFROM nvidia/cuda:latest", 2, "nvidia/cuda:latest"),
    "the system's Python": ("FROM ubuntu:24.04\nRUN pip install torch", 2, "pip install"),
    "a tag of an argument": ("ARG CUDA=12.4\nFROM nvidia/cuda:${CUDA}-base", 2, "nvidia/cuda:12.4-base"),
    "in a later stage": (
        CUDA.replace("\n", " AS base\n") + "FROM base AS last\nRUN nvidia-smi",
        3,
        "nvidia-smi",
    ),
}  # fmt: skip
FINE = {
    "a toolkit": CUDA + "RUN apt-get install -y cuda-toolkit-12-4 nvidia-container-toolkit cuda-compat-12-4",
    "a wheel with CUDA": CUDA + "RUN pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/cu124",
    "all capabilities": CUDA + "ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility",
    "a variable": CUDA + "ARG CAPS\nENV NVIDIA_DRIVER_CAPABILITIES=$CAPS",
    "started later": CUDA + 'CMD ["nvidia-smi"]\nHEALTHCHECK CMD nvidia-smi',
    "stubs to link": CUDA + "RUN LIBRARY_PATH=/usr/local/cuda/lib64/stubs make",
    "an environment": "FROM ubuntu:24.04\nRUN python3 -m venv /opt/v && /opt/v/bin/pip install torch",
    "an image for the CPU": "FROM python:3.12\n" + CPU_TORCH,
    "its version": CUDA + 'RUN python3 -c "import torch; print(torch.version.cuda)"',
}  # fmt: skip


def _mistakes(text, given=ANY, file="Dockerfile"):
    return [(one.line, one.subject) for one in verify(text, given, MATRIX, file).found if one.word == "does not fit"]


@pytest.mark.parametrize(("text", "line", "subject"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake(text, line, subject):
    assert _mistakes(text) == [(line, subject)]


@pytest.mark.parametrize("text", FINE.values(), ids=FINE)
def test_no_mistake(text):
    assert _mistakes(text) == []


def test_outside_of_an_image_a_driver_is_installed():
    assert _mistakes("sudo apt-get install -y nvidia-driver-535\nnvidia-smi", file=None) == []


SERVICE = "services:\n  web:\n    image: nginx\n  train:\n    image: pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime\n"
DEVICES = "    deploy:\n      resources:\n        reservations:\n          devices:\n            - driver: nvidia\n"


@pytest.mark.parametrize(
    ("more", "lines"),
    [
        ("", [5]),
        ("    gpus: all\n", []),
        ("    runtime: nvidia\n", []),
        (DEVICES + "              capabilities: [gpu]\n", []),
        (DEVICES + "              capabilities:\n                - gpu\n", []),
        (DEVICES + "              count: all\n", [10]),
        ("    gpus: all\n    environment:\n      CUDA_VISIBLE_DEVICES: ''\n", [8]),
        ("    <<: *shared\nx-shared: &shared\n  gpus: all\n", []),
        ("  other:\n    image: nginx\n    gpus: all\n", [5]),
    ],
)
def test_a_service(more, lines):
    assert [line for line, _ in _mistakes(SERVICE + more, file="compose.yaml")] == lines


def _run(*words):
    return CliRunner().invoke(cli, ["check", *words])


def test_the_command(tmp_path):
    wrong, right = tmp_path / "Dockerfile", tmp_path / "compose.yaml"
    wrong.write_text(CUDA + "RUN nvidia-smi\n")
    right.write_text(SERVICE + "    gpus: all\n")
    both = _run("--dockerfile", str(wrong), "--dockerfile", str(right))
    assert both.exit_code == 1 and f"{wrong}:2: nvidia-smi" in both.output
    assert _run("--dockerfile", str(right)).exit_code == 0
    found = json.loads(_run("--dockerfile", str(wrong), "--format", "json").stdout)["found"]
    assert [one["line"] for one in found] == [2]
    assert f"::error file={wrong},line=2," in _run("--dockerfile", str(wrong), "--format", "github").output


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--python", "x"), 2), (("--format", "junit"), 2), (("--fail-on", "info"), 2), (("--dockerfile", "absent"), 3)],
)
def test_what_does_not_go_together(tmp_path, words, code):
    file = tmp_path / "Dockerfile"
    file.write_text(CUDA)
    assert _run("--dockerfile", str(file), *words).exit_code == code
