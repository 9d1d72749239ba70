"""The agents of PaddlePaddle, run by a real interpreter with a real release; and what they ask of one for GPUs."""

import pytest

from tests.agent.ask_agent import ask
from tests.live.environments import environment

#: A Paddle with two GPUs, in the words of its interface, as far as its devices are asked for.
TWO_GPUS = """
import sys, types
paddle = types.ModuleType("paddle")
paddle.__version__ = "2.6.2"
paddle.is_compiled_with_cuda = lambda: True
paddle.is_compiled_with_rocm = lambda: False
paddle.version = types.SimpleNamespace(cuda=lambda: "11.8", cudnn=lambda: "8.6.0", cuda_archs=lambda: [80, 90])
known = types.SimpleNamespace(name="NVIDIA A100", major=8, minor=0, total_memory=40 * 2**30)
paddle.device = types.SimpleNamespace(
    cuda=types.SimpleNamespace(device_count=lambda: {count}, get_device_properties=lambda index: known)
)
sys.modules["paddle"] = paddle
"""


def test_the_cpu_is_listed():
    told = ask(environment("paddle"), "devices_paddle")
    listed = told.devices[-1]
    assert told.finished and not told.unexpected
    assert {stage.outcome for stage in told.stages.values()} == {"passed"}
    assert [(device.name, device.kind) for device in listed.devices] == [("cpu", "cpu")]
    assert (listed.gpu_available, listed.built_with_cuda, listed.built_with_rocm) == (False, False, False)


def test_a_quick_training_on_the_cpu():
    told = ask(environment("paddle"), "smoke_paddle", quick=True)
    assert told.finished and not told.unexpected
    assert [(trial.network, trial.device) for trial in told.trials] == [("dense", "cpu"), ("conv", "cpu")]
    for trial in told.trials:
        assert trial.outcome == "passed" and trial.accuracy >= trial.threshold == 0.9
        assert 0 < trial.difference < trial.tolerance == 0.001


def test_a_gpu_that_is_not_there_is_skipped():
    told = ask(environment("paddle"), "smoke_paddle", quick=True, devices=["gpu:0"])
    assert {trial.outcome for trial in told.trials} == {"skipped"}


@pytest.mark.parametrize(("count", "available"), [(2, True), (0, False)])
def test_the_gpus_of_a_build_with_cuda(python, count, available):
    told = ask(python, "devices_paddle", code=TWO_GPUS.replace("{count}", str(count)))
    listed = told.devices[-1]
    assert (str(listed.cuda), listed.cudnn, listed.archs) == ("11.8", "8.6.0", ("sm_80", "sm_90"))
    assert (listed.gpu_available, listed.built_with_cuda) == (available, True)
    gpus = [device for device in listed.devices if device.kind == "gpu"]
    found = [(device.index, device.product, str(device.capability)) for device in gpus]
    assert found == [(index, "NVIDIA A100", "8.0") for index in range(count)]
    assert ("cudaGetDeviceCount" in told.stages) is not available


@pytest.fixture
def python():
    import sys

    return sys.executable
