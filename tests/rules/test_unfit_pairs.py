"""Pairs that do not fit are never healthy: a GPU and a cuDNN without code for it, in every framework."""

import random
from typing import Any

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.libraries import Resolution
from gpudoctor.facts.python import Framework
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.types import Cudnn
from gpudoctor.rules.load import load_rules
from tests.rules.stacks import (
    GTX_1080_TI,
    K80,
    RTX_4090,
    SITE,
    T4,
    V100,
    card,
    frameworks,
    jax_plugin,
    libraries,
    packages,
    resolution,
    stack,
    tensorflow,
    torch,
)
from tests.rules.table import fires, quiet

RULE = "cudnn-no-gpu-code"
#: More of them are drawn where somebody asks for it.
DRAWN = 60

M40 = card("Tesla M40", "5.2")
P100 = card("Tesla P100-PCIE-16GB", "6.0")
OLD = (K80, M40, GTX_1080_TI, P100, V100)
ARCHS = tuple(f"sm_{number}" for number in (37, 50, 52, 60, 61, 70, 75, 80, 86, 89, 90))


def taken(framework: str, version: str, **fields: Any) -> Resolution:
    soname = f"libcudnn.so.{version.partition('.')[0]}"
    name = "jax" if framework.startswith("jax") else framework
    given = {"path": f"{SITE}/nvidia/cudnn/lib/{soname}", "origin": "pip"}
    return resolution(name, soname, "cudnn", version=version, **{**given, **fields})


def machine(gpu: Gpu, framework: Framework, cudnn: str, *others: Gpu, **fields: Any) -> dict[str, Any]:
    found = libraries(taken(framework.name, cudnn, **fields))
    return stack(gpu, *others, release="580.95.05", frameworks=frameworks(framework), libraries=found)


def commands(found: Any) -> list[str]:
    return [" ".join(step.argv) for fix in found.fixes for step in fix.steps if hasattr(step, "argv")]


FRAMEWORKS = (
    torch("2.9.1+cu128", archs=ARCHS, cudnn="9.10.2"),
    torch("2.14.1+cu126", archs=ARCHS, cudnn="9.10.2"),
    tensorflow("2.20.0", "12.5", archs=ARCHS, cudnn="9.3.0"),
    jax_plugin("0.12.0", 12),
)


@pytest.mark.parametrize(
    ("gpu", "framework", "cudnn", "asked"),
    [
        (V100, torch("2.9.1+cu128"), "9.16.0.29", "nvidia-cudnn-cu12==9.10.2.21"),
        (GTX_1080_TI, tensorflow(cudnn="9.3.0"), "9.28.0.42", "nvidia-cudnn-cu12==9.10.2.21"),
        (GTX_1080_TI, jax_plugin(), "9.28.0.42", "nvidia-cudnn-cu12==9.10.2.21"),
        (V100, jax_plugin(), "9.99.0.1", "nvidia-cudnn-cu12==9.10.2.21"),
        (K80, torch("2.4.0+cu118"), "9.1.0.70", "torch==2.3.1+cu118"),
    ],
)
def test_a_cudnn_without_code_for_the_gpu(gpu: Gpu, framework: Framework, cudnn: str, asked: str) -> None:
    found = fires(RULE, **machine(gpu, framework, cudnn))
    assert found.severity == "error"
    assert any(asked in command for command in commands(found)), commands(found)


def test_what_has_code_is_quiet() -> None:
    quiet(RULE, **machine(V100, torch("2.9.1+cu128"), "9.10.2.21"))
    quiet(RULE, **machine(T4, torch("2.9.1+cu128"), "9.16.0.29"))
    quiet(RULE, **machine(K80, torch("2.3.1+cu118"), "8.7.0.84"))
    # The framework itself has no code for it: that is the trouble, and told elsewhere.
    quiet(RULE, **machine(V100, torch("2.12.0+cu130"), "9.20.0.48"))
    # Nothing is known of that release.
    quiet(RULE, **machine(V100, tensorflow(cudnn="4.0"), "4.0.7"))


def test_a_card_for_the_display_is_a_note() -> None:
    display = card("NVIDIA GeForce GT 1030", "6.1", index=1, display_active=True)
    assert fires(RULE, **machine(RTX_4090, tensorflow(cudnn="9.3.0"), "9.28.0.42", display)).severity == "info"


def test_of_the_installed_packages_alone() -> None:
    """A report without libraries: the wheel is what torch loads on Linux."""
    has = packages("torch==2.9.1+cu128", "nvidia-cudnn-cu12==9.16.0.29")
    found = fires(RULE, **stack(V100, frameworks=frameworks(torch("2.9.1+cu128")), packages=has))
    assert found.confidence == "likely"
    own = packages("torch==2.9.1+cu128", "nvidia-cudnn-cu12==9.10.2.21")
    quiet(RULE, **stack(V100, frameworks=frameworks(torch("2.9.1+cu128")), packages=own))


def test_conda_has_its_own_command() -> None:
    found = fires(RULE, **machine(V100, tensorflow(cudnn="9.3.0"), "9.28.0", origin="conda"))
    assert any("cudnn=9.10" in command for command in commands(found))


def unfit() -> list[tuple[Gpu, Framework, str]]:
    """All cuDNN of the table with GPUs that they leave out."""
    pairs = [
        (gpu, framework, f"{row.cudnn}.0")
        for row in load_matrix().table("cudnn")
        if isinstance(row, Cudnn) and row.min_capability is not None and row.cuda == ("12.x",)
        for gpu in OLD
        if gpu.capability is not None and Capability(str(gpu.capability)) < row.min_capability
        for framework in FRAMEWORKS
        if not (framework.name.startswith("jax") and gpu.capability < Capability("5.0"))
    ]
    return random.Random(7).sample(pairs, DRAWN)


@pytest.mark.parametrize(("gpu", "framework", "cudnn"), unfit())
def test_no_unfit_pair_is_healthy(gpu: Gpu, framework: Framework, cudnn: str) -> None:
    found = diagnose(Snapshot(**machine(gpu, framework, cudnn)), load_matrix(), load_rules())
    names = {one.name for one in found.findings if one.severity in ("error", "warning")}
    assert RULE in names, names
