"""FRM028 triton-newer-than-driver: when it fires, when it is quiet; and no unfit pair of the table is healthy."""

from typing import Any

import pytest

from gpudoctor.facts.driver import DriverLibrary
from gpudoctor.facts.fix import Run
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.rules.situations import driver, environ
from tests.rules.stacks import (
    GTX_1080_TI,
    H100,
    RTX_4090,
    RTX_5090,
    T4,
    V100,
    WINDOWS,
    frameworks,
    packages,
    stack,
    torch,
)
from tests.rules.table import fires, quiet

RULE = "triton-newer-than-driver"


def machine(gpu: Gpu, ours: str, triton: str, release: str, **fields: Any) -> dict[str, Any]:
    has = packages(f"torch=={ours}", f"triton=={triton}")
    return stack(gpu, release=release, frameworks=frameworks(torch(ours)), packages=has, **fields)


@pytest.mark.parametrize(
    ("gpu", "ours", "triton", "release", "oldest", "package"),
    [
        (RTX_5090, "2.13.0+cu129", "3.7.1", "575.57.08", "580", "nvidia-cuda-nvcc-cu12"),
        (RTX_5090, "2.12.0+cu128", "3.7.0", "570.133.20", "580", "nvidia-cuda-nvcc-cu12"),
        (V100, "2.2.0+cu118", "2.2.0", "470.82.01", "525", "nvidia-cuda-nvcc-cu11"),
        (GTX_1080_TI, "2.0.1+cu117", "2.0.0", "515.65.01", "525", "nvidia-cuda-nvcc-cu11"),
    ],
)
def test_the_assembler_is_of_a_newer_major(
    gpu: Gpu, ours: str, triton: str, release: str, oldest: str, package: str
) -> None:
    found = fires(RULE, **machine(gpu, ours, triton, release))
    assert found.severity == "warning" and f"driver {oldest}" in found.summary
    assert package in [word for fix in found.fixes for step in fix.steps if isinstance(step, Run) for word in step.argv]


@pytest.mark.parametrize(
    ("gpu", "ours", "triton", "release"),
    [
        # The assembler for GPUs before 10.0 is of CUDA 12 still.
        (H100, "2.13.0+cu126", "3.7.1", "535.54.03"),
        (RTX_5090, "2.13.0+cu129", "3.7.1", "580.65.06"),
        (RTX_5090, "2.8.0+cu128", "3.4.0", "570.133.20"),
        # PyTorch for CUDA 11.8 brings its own assembler from 2.2.1 on.
        (V100, "2.7.1+cu118", "3.3.1", "470.82.01"),
        # A release that nobody has read, and one that PyTorch itself does not run on.
        (RTX_5090, "2.13.0+cu129", "9.9.0", "575.57.08"),
        (T4, "2.6.0+cu124", "3.2.0", "470.82.01"),
    ],
)
def test_it_loads_or_is_not_known(gpu: Gpu, ours: str, triton: str, release: str) -> None:
    quiet(RULE, **machine(gpu, ours, triton, release))


def test_what_refutes_it() -> None:
    given = (RTX_5090, "2.13.0+cu129", "3.7.1", "575.57.08")
    quiet(RULE, **machine(*given, environ=environ(TRITON_PTXAS_BLACKWELL_PATH="/opt/ptxas")))
    fires(RULE, **machine(*given, environ=environ(TRITON_PTXAS_PATH="/opt/ptxas")))
    quiet(RULE, **machine(*given, host=WINDOWS))
    quiet(RULE, **machine(*given) | {"packages": packages("torch==2.13.0+cu129")})
    compat = DriverLibrary(name="libcuda.so.1", first=True, path="/usr/local/cuda/compat/libcuda.so.1", compat=True)
    quiet(RULE, **machine(*given) | {"driver": driver("575.57.08", libraries=(compat,))})


def unfit() -> list[tuple[Gpu, str, str]]:
    """Every Triton of the table whose assembler is of CUDA 13, with drivers of CUDA 12; and of CUDA 12 with R470."""
    pairs = []
    for row in load_matrix().table("triton"):
        if (row.ptxas_blackwell or "").startswith("13."):
            pairs += [(RTX_5090, row.version, release) for release in ("570.86.15", "572.16", "575.64.03")]
        if row.version.startswith("2."):
            pairs += [(RTX_4090, row.version, release) for release in ("470.57.02", "515.43.04", "520.61.05")]
    return pairs


@pytest.mark.parametrize(("gpu", "triton", "release"), unfit())
def test_no_unfit_pair_is_healthy(gpu: Gpu, triton: str, release: str) -> None:
    ours = "2.13.0+cu129" if gpu is RTX_5090 else "2.2.0+cu118"
    assert fires(RULE, **machine(gpu, ours, triton, release)).severity == "warning"


def test_the_table_answers_by_gpu() -> None:
    matrix = load_matrix()
    ask = {(v, c): str(matrix.triton_assembler(v, Capability(c))) for v in ("3.7.1", "3.5.1") for c in ("9.0", "12.0")}
    assert ask == {
        ("3.7.1", "9.0"): "12.8",
        ("3.7.1", "12.0"): "13.1",
        ("3.5.1", "9.0"): "12.8",
        ("3.5.1", "12.0"): "12.8",
    }
    assert matrix.triton_assembler("9.9.0", Capability("9.0")) is None
