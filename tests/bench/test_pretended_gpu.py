"""The code that measures GPUs, run where there is none: it must at least run, and tell every fact that follows."""

import os
import subprocess

import pytest

import gpudoctor
from gpudoctor.bench.verdict import conclude
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.probes.bench import assemble
from gpudoctor.probes.live.transcript import Transcript
from tests.live.environments import environment

AGENT = os.path.join(os.path.dirname(gpudoctor.__file__), "agent")
SCRIPT = os.path.join(os.path.dirname(__file__), "pretended_gpu.py")


def told(framework, request):
    done = subprocess.run(
        [environment("cpu"), "-B", SCRIPT, framework, AGENT],
        input=request,
        capture_output=True,
        timeout=240,
        check=False,
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},
    )
    transcript = Transcript(((framework, "bench"),))
    transcript.feed(done.stdout)
    return transcript.parts[0], assemble(framework, 12, transcript.parts[0].facts)


# JAX compiles a step for every shape.
@pytest.mark.parametrize(("framework", "seconds"), [("torch", 15), ("tensorflow", 20), ("jax", 60)])
def test_every_kind_of_measurement_runs_and_is_told(framework, seconds):
    part, bench = told(framework, b'{"seconds": %d}' % seconds)
    assert part.failed is None
    failed = {stage.name: stage.error.text for stage in part.stages if stage.outcome == "failed"}
    # Mixed precision of CUDA is the one thing that a CPU cannot pretend.
    assert not {name: text for name, text in failed.items() if "mixed" not in name}
    assert [device.name for device in bench.devices] == ["cpu", "gpu:0"]
    on_gpu = [one for one in bench.measured if one.device == "gpu:0"]
    assert {one.direction for one in bench.transfers} >= {"host", "device", "host-to-device", "device-to-host"}
    assert {one.with_copies for one in bench.gemms if one.device == "gpu:0"} == {True, False}
    assert {type(one).__name__ for one in on_gpu} == {"Transfer", "Gemm", "TrainingStep"}
    step = next(one for one in bench.steps if one.device == "gpu:0")
    assert step.transfer_seconds is not None
    found = conclude(bench, None, load_matrix())
    assert found.speedups
    # Whatever the numbers: the same machine was on both sides, so noise aside nothing is won by much.
    assert all(0.1 < one.ratio < 10 for one in found.speedups if not one.noisy)
    assert {one.with_copies for one in found.crossovers} == {True, False}
    assert {one.what for one in found.achieved if one.device == "gpu:0"} >= {"memory", "float32", "host-to-device"}


def test_a_gpu_that_the_framework_does_not_list():
    part, bench = told("torch", b'{"seconds": 2, "devices": ["gpu:5"]}')
    assert part.failed is not None
    assert part.failed.text == "torch sees 2 GPUs, and gpu:5 was asked for"
    assert not bench.measured


def test_all_gpus_add_up():
    _, bench = told("torch", b'{"seconds": 6, "devices": ["gpu:0", "gpu:1"]}')
    (summed,) = (one for one in bench.transfers if one.direction == "all-reduce")
    # Of two GPUs each link carries the size once.
    assert (summed.device, summed.gpus, summed.moved) == ("all GPUs", 2, summed.size)
    assert "all-reduce" in {one.what for one in conclude(bench, None, load_matrix()).achieved}


def test_the_second_gpu():
    _, bench = told("torch", b'{"seconds": 2, "devices": ["gpu:1"]}')
    assert [device.name for device in bench.devices] == ["cpu", "gpu:1"]
    assert {one.device for one in bench.measured} == {"cpu", "gpu:1"}
