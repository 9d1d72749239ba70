"""Which frameworks that are installed for the GPU stay beside a new build, and which of them do not run here."""

import pytest

from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.builds import builds_of
from gpudoctor.plan.installed_companions import Neighbour, admits, staying, unfit
from gpudoctor.plan.machine import Machine
from tests.rules.stacks import interpreter, packages

MATRIX = load_matrix()


def where(driver, gpu, platform="linux-x86_64"):
    return Machine(driver=DriverRelease(driver), capabilities=(Capability(gpu),), python="3.12", platform=platform)


ADA, OLD_DRIVER, PASCAL = where("580.65.06", "8.9"), where("535.54", "8.9"), where("580.65.06", "6.1")


def holding(*names, installer="pip", **target):
    return Scene(interpreter=interpreter(**target), packages=packages(*names, installer=installer))


def stays(scene, machine=ADA, besides="other"):
    return [
        (one.framework, one.major, one.build and one.build.label) for one in staying(scene, machine, MATRIX, besides)
    ]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("torch==2.6.0+cu124",), ("torch", 12, "torch 2.6.0+cu124")),
        # The package index has one build of a release, without a tag.
        (("torch==2.6.0",), ("torch", 12, "torch 2.6.0+cu124")),
        (("torch==2.15.0",), ("torch", 13, "torch 2.15.0+cu132")),
        # No table has it: its tag names the CUDA.
        (("torch==9.9.0+cu131",), ("torch", 13, None)),
        (("torch==9.9.0",), None),
        (("torch==2.6.0+cpu",), None),
        # TensorFlow takes its libraries from the environment: without them it does not use the GPU.
        (("tensorflow==2.20.0",), None),
        (("tensorflow==2.20.0", "nvidia-cudnn-cu12==9.3"), ("tensorflow", 12, "tensorflow[and-cuda] 2.20.0")),
        (("tensorflow==2.14.1", "nvidia-cudnn-cu11==8.7"), ("tensorflow", 11, "tensorflow[and-cuda] 2.14.1")),
        (("tensorflow==2.14.1", "nvidia-cudnn-cu12==8.7"), None),
        (("tensorflow==99.9", "nvidia-cudnn-cu12==9.9"), ("tensorflow", 12, None)),
        (("jax==0.10.0", "jax-cuda13-plugin==0.10.0"), ("jax", 13, "jax[cuda13] 0.10.0")),
        (("jax==99.9", "jax-cuda12-plugin==99.9"), ("jax", 12, None)),
        (("jax==0.10.0",), None),
    ],
)
def test_what_is_there_for_the_gpu(names, found):
    assert stays(holding(*names)) == ([found] if found else [])
    assert stays(holding(*names, environment="system")) == [], "what comes goes into a new environment"
    assert found is None or stays(holding(*names), besides=found[0]) == []


def test_what_conda_installed_brings_libraries_of_its_own():
    assert stays(holding("torch==2.6.0+cu124", installer="conda")) == []
    assert stays(holding("tensorflow==2.20.0", "nvidia-cudnn-cu12==9.3", installer="conda")) == []


@pytest.mark.parametrize(
    ("names", "machine", "label", "constraint"),
    [
        (("torch==2.15.0",), OLD_DRIVER, "torch 2.15.0+cu132", "driver"),
        (("torch==2.15.0",), PASCAL, "torch 2.15.0+cu132", "gpu"),
        (("jax==0.10.0", "jax-cuda13-plugin==0.10.0"), OLD_DRIVER, "jax[cuda13] 0.10.0", "driver"),
        (("torch==2.6.0+cu124",), OLD_DRIVER, None, None),
        # Nothing is known of it.
        (("torch==9.9.0+cu131",), OLD_DRIVER, None, None),
        # That there is no wheel of it for this Python does not keep it from running.
        (("torch==1.12.1+cu113",), ADA, None, None),
    ],
)
def test_what_does_not_run_here_does_not_stay(names, machine, label, constraint):
    found = unfit(holding(*names), machine, MATRIX)
    assert [build.label for build, _ in found] == ([label] if label else [])
    assert [{one.constraint for one in stops} for _, stops in found] == ([{constraint}] if label else [])
    assert bool(stays(holding(*names), machine)) is (label is None)


def build(label):
    return next(one for one in builds_of(label.split("[")[0].split()[0], "linux-x86_64", MATRIX) if one.label == label)


@pytest.mark.parametrize(
    ("label", "beside", "can"),
    [
        ("torch 2.15.0+cu132", Neighbour(framework="jax", major=13), True),
        ("torch 2.15.0+cu132", Neighbour(framework="jax", major=12), False),
        ("torch 2.15.0+cpu", Neighbour(framework="jax", major=12), True),
        (
            "torch 2.15.0+cu132",
            Neighbour(framework="tensorflow", major=12, build=build("tensorflow[and-cuda] 2.20.0")),
            False,
        ),
        (
            "torch 2.14.1+cu126",
            Neighbour(framework="tensorflow", major=12, build=build("tensorflow[and-cuda] 2.20.0")),
            True,
        ),
    ],
)
def test_one_cuda_in_one_environment(label, beside, can):
    assert admits(build(label), (beside,), ADA, MATRIX) is can
    assert admits(build(label), (), ADA, MATRIX)
    assert admits(build(label), (beside,), where("580.97", "8.9", "windows-x86_64"), MATRIX), "each has its own there"
