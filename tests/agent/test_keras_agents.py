"""Keras's agents: Keras 3 on TensorFlow, torch and JAX, and the Keras 2 inside TensorFlow 2.4 and 1.15."""

import os
import shutil
import sys

import pytest

from tests.agent.agents import FOLDER, run_agent
from tests.live.environments import environment

BACKENDS = ("tensorflow", "torch", "jax")


@pytest.mark.parametrize("backend", BACKENDS)
def test_both_tasks_on_each_backend(backend):
    told = run_agent(environment("cpu"), "devices_keras", "smoke_keras", request={"backend": backend, "quick": True})
    assert told.done, told.printed[-2000:]
    assert not told.facts("failed")
    assert [stage.name for stage in told.stages if stage.outcome == "failed"] == []

    listed = told.devices
    assert (listed.framework, listed.backend, listed.gpu_available) == ("keras", backend, False)
    assert listed.version.startswith("3.")
    assert [device.kind for device in listed.devices] == ["cpu"]
    notes = dict(listed.notes)
    assert notes[backend][0].isdigit()
    assert notes.get("tf.keras") == (listed.version if backend == "tensorflow" else None)

    tried = [(one.network, one.precision, one.device, one.placed_on, one.outcome) for one in told.trials]
    assert tried == [(network, "float32", "cpu", "cpu", "passed") for network in ("dense", "conv")]
    assert all(one.accuracy >= one.threshold and one.last_loss < one.first_loss / 2 for one in told.trials)


@pytest.mark.parametrize("name", ["tf24", "tf115"])
def test_the_keras_inside_tensorflow(name):
    told = run_agent(environment(name), "devices_keras", "smoke_keras", request={"devices": ["cpu"]})
    assert told.done, told.printed[-2000:]
    assert told.devices.version.startswith("2.")
    assert told.devices.backend == "tensorflow"
    assert dict(told.devices.notes)["tensorflow"].startswith({"tf24": "2.4.", "tf115": "1.15."}[name])
    assert {one.outcome for one in told.trials} <= {"passed", "skipped"}, [one.detail for one in told.trials]
    passed = {(one.network, one.mode) for one in told.trials if one.outcome == "passed"}
    assert passed >= {("dense", "train_on_batch"), ("conv", "train_on_batch"), ("dense", "fit")}
    assert all(one.detail for one in told.trials if one.outcome == "skipped")


def test_it_comes_after_its_backend_in_the_same_process():
    tasks = ("devices_tensorflow", "smoke_tensorflow", "devices_keras", "smoke_keras")
    told = run_agent(environment("tf24"), *tasks, request={"quick": True})
    assert told.done, told.printed[-2000:]
    assert not told.facts("failed")
    # A backend that has just trained its convolution is not asked for it again where it has to be quick.
    tried = [(one.network, one.mode, one.outcome) for one in told.trials]
    assert tried == [(*one, "passed") for one in (("dense", "graph"), ("conv", "graph"), ("dense", "train_on_batch"))]


def test_a_backend_that_is_not_installed_fails_where_it_is_imported():
    told = run_agent(environment("tf220"), "devices_keras", request={"backend": "torch"})
    assert told.done
    assert told.failed is not None
    assert told.failed.type == "ModuleNotFoundError"
    assert "torch" in told.failed.text
    assert told.last_begun == "import keras"


def test_a_training_that_learns_nothing_fails(tmp_path):
    """An optimizer that does not move, in a copy of the scripts."""
    python = environment("tf24")
    folder = shutil.copytree(FOLDER, tmp_path / "agent")
    script = folder / "keras_training.py"
    optimizer = 'model.compile("adam"'
    assert optimizer in script.read_text()
    script.write_text(script.read_text().replace(optimizer, "model.compile(keras.optimizers.SGD(0.0)"))
    told = run_agent(python, "smoke_keras", request={"quick": True}, folder=folder)
    assert [one.outcome for one in told.trials] == ["failed", "failed"]
    assert all("the loss" in one.detail for one in told.trials)


def test_the_time_is_kept():
    told = run_agent(environment("tf24"), "smoke_keras", request={"seconds": 0.001})
    assert told.done
    assert {one.outcome for one in told.trials} == {"skipped"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/job:localhost/replica:0/task:0/device:GPU:0", "gpu:0"),
        ("/job:localhost/replica:0/task:0/device:CPU:0", "cpu"),
        ("cuda:1", "gpu:1"),
        ("cpu", "cpu"),
        ("TFRT_CPU_0", "cpu"),
        ("CpuDevice(id=0)", "cpu"),
        ("CudaDevice(id=3)", "gpu:3"),
        ("mps:0", "mps"),
        ("", ""),
    ],
)
def test_every_backend_names_devices_in_its_own_way(text, expected, monkeypatch):
    monkeypatch.syspath_prepend(os.fspath(FOLDER))
    from smoke_keras import plain_name

    assert plain_name(text) == expected
    assert "tensorflow" not in sys.modules
