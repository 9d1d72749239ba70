"""PyTorch on Windows: old CUDA builds by their GPUs, and Windows on ARM."""

import pytest

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit


def build(specifier, platform, *, gpu=None, python=None):
    capabilities = (Capability(gpu),) if gpu else ()
    machine = Machine(platform=platform, capabilities=capabilities, python=python, cpu_only=gpu is None)
    found = fit(machine, (Wanted(framework="torch", specifier=specifier),), load_matrix())
    return found.environments[0].proposals[0].build if found.environments else None


@pytest.mark.parametrize(
    ("specifier", "gpu", "wanted"),
    [
        ("==1.7.1", "6.1", "torch 1.7.1+cu110"),
        ("==1.7.1", "8.0", "torch 1.7.1+cu110"),
        ("==1.8.1", "8.6", "torch 1.8.1+cu111"),
        ("==1.3.1", "3.5", "torch 1.3.1+cu101"),
        # CUDA 10 has no libraries for Ampere, whatever the driver compiles.
        ("==1.3.1", "8.6", None),
    ],
)
def test_an_old_build_for_the_gpus_it_was_compiled_for(specifier, gpu, wanted):
    assert build(specifier, "windows-x86_64", gpu=gpu) == wanted


def test_windows_on_arm_has_builds_for_the_processor():
    assert build("==2.9.1", "windows-aarch64", python="3.12") == "torch 2.9.1+cpu"
    assert build("==2.9.1", "windows-aarch64", python="3.14") is None
    assert build("", "windows-aarch64", gpu="8.9") is None
