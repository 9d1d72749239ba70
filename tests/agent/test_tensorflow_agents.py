"""TensorFlow's agents in TensorFlow 2.21, 2.4 and 1.15, and 2.20 with a driver that lists GPUs but computes nothing."""

import re
import shutil

import pytest

from tests.agent.agents import FOLDER, run_agent
from tests.fake_driver import compiled_driver, machine  # noqa: F401
from tests.live.environments import environment

EACH = pytest.mark.parametrize("name", ["cpu", "tf24", "tf115"])
FOUND = {"cpu": "2.", "tf24": "2.4.", "tf115": "1.15."}


@EACH
def test_both_tasks_in_one_process(name):
    """The whole of it: every answer can be read, every training that this release can do passes."""
    told = run_agent(environment(name), "devices_tensorflow", "smoke_tensorflow")
    assert told.done, told.printed[-2000:]
    assert told.failed is None
    assert not told.facts("failed")
    assert [stage.name for stage in told.stages if stage.outcome == "failed"] == []

    listed = told.devices
    assert listed.version.startswith(FOUND[name])
    assert [device.kind for device in listed.devices if device.kind != "xla-cpu"] == ["cpu"]
    assert listed.gpu_available is False
    assert listed.built_with_cuda is (name == "tf24")
    assert listed.cuda == ("11.0" if name == "tf24" else None)
    assert "device_lib" in dict(listed.notes)

    trials = {(one.network, one.precision, one.mode): one for one in told.trials}
    assert {one.outcome for one in trials.values()} <= {"passed", "skipped"}
    assert all(one.detail for one in trials.values() if one.outcome == "skipped")
    passed = {key for key, one in trials.items() if one.outcome == "passed"}
    assert passed >= {("dense", "float32", "graph"), ("conv", "float32", "graph")}
    if name != "tf115":
        assert passed >= {
            ("dense", "float32", "eager"),
            ("dense", "float32", "xla"),
            ("dense", "bfloat16", "graph"),
            ("dense", "mixed-bfloat16", "graph"),
            ("data-parallel", "float32", "graph"),
        }
        together = trials["data-parallel", "float32", "graph"]
        assert (together.device, together.placed_on) == ("cpu:0+cpu:1", "/device:CPU:0, /device:CPU:1")
    one = trials["conv", "float32", "graph"]
    assert one.placed_on == "/device:CPU:0"
    assert one.last_loss < one.first_loss / 2
    assert one.accuracy >= one.threshold == 0.9
    assert 0 < one.difference < 1e-4, "it is compared with double precision, and so never exactly the same"


@pytest.mark.parametrize("name", ["tf24", "tf115"])
def test_quick_is_two_trainings_on_each_device_asked(name):
    told = run_agent(environment(name), "smoke_tensorflow", request={"quick": True, "devices": ["cpu"]})
    tried = [(one.network, one.precision, one.device, one.outcome) for one in told.trials]
    assert tried == [("dense", "float32", "cpu", "passed"), ("conv", "float32", "cpu", "passed")]


@pytest.mark.parametrize("name", ["tf24", "tf115"])
def test_a_device_that_is_not_there_fails(name):
    told = run_agent(environment(name), "smoke_tensorflow", request={"quick": True, "devices": ["gpu:3"]})
    assert told.done
    assert [one.outcome for one in told.trials] == ["failed", "failed"]
    assert all("GPU:3" in one.error.text for one in told.trials)


@pytest.mark.parametrize("name", ["tf24", "tf115"])
def test_a_training_that_learns_nothing_fails(name, tmp_path):
    """A learning rate of zero, in a copy of the scripts."""
    python = environment(name)
    folder = shutil.copytree(FOLDER, tmp_path / "agent")
    script = folder / "smoke_data.py"
    text, count = re.subn(r"^RATE = .*$", "RATE = 0.0", script.read_text(), flags=re.MULTILINE)
    assert count == 1
    script.write_text(text)
    told = run_agent(python, "smoke_tensorflow", request={"quick": True}, folder=folder)
    dense, conv = told.trials
    assert (dense.outcome, conv.outcome) == ("failed", "failed")
    assert "the loss" in dense.detail
    assert "the accuracy is" in dense.detail
    assert [stage.outcome for stage in told.stages if stage.name.startswith("train")] == ["failed", "failed"]


def test_a_wrong_product_is_noticed(tmp_path):
    """Scores that are a tenth too large: it learns all the same, only the comparison tells."""
    python = environment("tf24")
    folder = shutil.copytree(FOLDER, tmp_path / "agent")
    step = folder / "tensorflow_step.py"
    product = "return tf.matmul(values, weights[-2]) + weights[-1]"
    assert product in step.read_text()
    factor = '(1.1 if weights[0].dtype == "float32" else 1.0)'
    step.write_text(step.read_text().replace(product, f"return {factor} * ({product.removeprefix('return ')})"))
    told = run_agent(python, "smoke_tensorflow", request={"quick": True}, folder=folder)
    assert {one.outcome for one in told.trials} == {"failed"}
    assert all("differs from the CPU's" in one.detail for one in told.trials)


def test_the_time_is_kept():
    told = run_agent(environment("tf24"), "smoke_tensorflow", request={"seconds": 0.01})
    assert told.done
    assert {one.outcome for one in told.trials} == {"skipped"}
    assert all("time" in one.detail for one in told.trials)


def test_fashion_mnist_is_loaded_or_the_reason_said(tmp_path):
    told = run_agent(
        environment("tf24"),
        "smoke_tensorflow",
        request={"data": "fashion-mnist", "quick": True},
        env={"HOME": str(tmp_path), "https_proxy": "http://127.0.0.1:9", "no_proxy": ""},
    )
    assert told.done
    loading = next(stage for stage in told.stages if stage.name == "load fashion-mnist")
    assert loading.outcome == "skipped"
    assert "cannot be loaded" in loading.detail
    assert told.trials == []


def test_the_description_of_a_gpu_is_read(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    from devices_tensorflow import DESCRIPTION

    text = "device: 1, name: NVIDIA H100 80GB HBM3, pci bus id: 0000:8a:00.0, compute capability: 9.0"
    expected = {"index": "1", "product": "NVIDIA H100 80GB HBM3", "pci_bus_id": "0000:8a:00.0", "capability": "9.0"}
    assert DESCRIPTION.search(text).groupdict() == expected


def test_real_tensorflow_lists_the_gpus_of_a_driver_that_computes_nothing(fake_driver):
    """TensorFlow 2.20: the list and the models; then a context that cannot be made, told by stage, and no hang."""
    python = environment("tf220")
    env = {**fake_driver.environment(machine("T4", 2)), "CUDA_VISIBLE_DEVICES": "0,1"}
    told = run_agent(python, "devices_tensorflow", "smoke_tensorflow", env=env)
    assert told.done, told.last_begun
    gpus = told.devices.gpus
    assert [(one.name, one.product, str(one.capability)) for one in gpus] == [
        ("/physical_device:GPU:0", "Tesla T4", "7.5"),
        ("/physical_device:GPU:1", "Tesla T4", "7.5"),
    ]
    assert told.devices.cuda is not None
    assert told.devices.gpu_available is None
    outcomes = {stage.name: stage.outcome for stage in told.stages}
    assert outcomes["list physical devices"] == "passed"
    assert outcomes["list local devices"] == "failed"
    assert [(one.device, one.outcome) for one in told.trials] == [("gpu:0", "failed"), ("gpu:1", "failed")]
    assert all("could not start its devices" in one.error.text for one in told.trials)


def test_tensorflow_2_4_without_its_libraries_lists_no_gpu_and_says_where_it_ended(fake_driver):
    """The libraries of CUDA 11.0 are missing; with this driver device_lib then aborts, as it does without a context."""
    env = {**fake_driver.environment(machine("T4", 2)), "CUDA_VISIBLE_DEVICES": "0,1"}
    told = run_agent(environment("tf24"), "devices_tensorflow", env=env)
    assert "Could not load dynamic library 'libcudnn.so.8'" in told.printed
    assert told.devices.gpus == ()
    assert told.devices.built_with_cuda
    assert not told.done
    assert told.code < 0
    assert told.last_begun == "list local devices"
