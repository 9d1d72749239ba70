"""The agents of JAX, run by real interpreters with real releases of it."""

import itertools

import pytest

from tests.agent.ask_agent import ask, crowding
from tests.live.environments import environment


def test_the_cpu_is_listed():
    told = ask(environment("cpu"), "devices_jax")
    listed = told.devices[-1]
    assert told.finished and not told.unexpected
    assert {stage.outcome for stage in told.stages.values()} == {"passed"}
    assert [(device.kind, device.index) for device in listed.devices] == [("cpu", 0)]
    assert (listed.backend, listed.gpu_available, listed.built_with_cuda) == ("cpu", False, False)
    assert dict(listed.notes)["jaxlib"] == listed.version


def test_a_plugin_that_does_not_start_is_quoted():
    told = ask(environment("jaxcuda"), "devices_jax")
    listed = told.devices[-1]
    assert told.finished and listed.built_with_cuda and listed.gpu_available is False
    assert "jax-cuda13-plugin" in dict(listed.notes)
    assert "Unable to load cuDNN. Is it installed?" in told.stages["start plugins"].error.text
    assert "Unknown backend cuda" in told.stages['jax.devices("cuda")'].error.text
    assert [device.kind for device in listed.devices] == ["cpu"]


def test_a_backend_that_is_demanded_and_missing_fails():
    told = ask(environment("cpu"), "devices_jax", env={"JAX_PLATFORMS": "cuda"})
    assert told.finished and told.devices[-1].devices is None and told.devices[-1].gpu_available is None
    assert told.stages["jax.default_backend"].outcome == "failed"


@pytest.fixture(scope="module")
def quick():
    return ask(environment("cpu"), "smoke_jax", quick=True)


def test_a_quick_training_on_the_cpu(quick):
    told = quick
    assert told.finished and not told.unexpected
    assert [(trial.network, trial.precision) for trial in told.trials] == [("dense", "float32"), ("conv", "float32")]
    for trial in told.trials:
        assert trial.outcome == "passed" and trial.accuracy >= trial.threshold == 0.9
        assert 0 < trial.difference < trial.tolerance == 0.001


def test_the_agent_costs_little_beside_import_and_training(quick):
    def overhead(told):
        return told.wall - told.stages["import jax"].seconds - sum(trial.seconds for trial in told.trials)

    again = (ask(environment("cpu"), "smoke_jax", quick=True) for _ in range(2))
    assert any(overhead(told) < 0.5 * crowding() for told in itertools.chain([quick], again))


def test_everything_on_the_cpu_after_its_devices_were_listed():
    told = ask(environment("cpu"), "run_tasks", arguments=["devices_jax", "smoke_jax"], devices=["cpu"], seconds=280)
    assert told.finished and not told.unexpected
    assert {trial.outcome for trial in told.trials} == {"passed"} and len(told.trials) == 11
    for precision in ("float16", "bfloat16", "mixed-float16", "mixed-bfloat16"):
        for network in ("dense", "conv"):
            trial = told.trial(network, precision)
            assert 0 < trial.difference < trial.tolerance
    together = told.trial("data-parallel", device="cpu+cpu")
    assert together.placed_on == "cpu:0 + cpu:1" and 0 < together.difference < together.tolerance


def test_a_cpu_that_the_user_has_divided_is_left_alone():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=1"}
    alone = "agent.train_on = lambda *rest: None"
    told = ask(environment("cpu"), "smoke_jax", code=alone, env=flags, devices=["cpu"])
    together = told.trial("data-parallel", device="cpu")
    assert together.outcome == "skipped" and "the CPU is one device" in together.detail


def test_what_is_not_here_is_skipped():
    told = ask(environment("cpu"), "smoke_jax", devices=["gpu:0"], quick=True)
    assert told.finished and {trial.outcome for trial in told.trials} == {"skipped"}
    assert "JAX sees no such device" in told.trials[0].detail


@pytest.mark.parametrize(
    ("breaking", "network", "detail"),
    [
        pytest.param(
            "import jax\nfound = jax.lax.conv_general_dilated\n"
            "jax.lax.conv_general_dilated = lambda x, *rest, **more: "
            "found(x, *rest, **more) * (1 if x.dtype == 'float64' else 1.01)",
            "conv",
            "the result differs from the CPU's by",
            id="a convolution that is one percent off",
        ),
        pytest.param(
            "import jax_training\njax_training.adam = lambda jax, weights, gradients, state, epsilon: (weights, state)",
            "dense",
            "the accuracy is",
            id="no steps",
        ),
    ],
)
def test_a_training_that_goes_wrong_fails(breaking, network, detail):
    told = ask(environment("cpu"), "smoke_jax", code=breaking, quick=True)
    assert told.finished
    trial = told.trial(network)
    assert trial.outcome == "failed" and detail in trial.detail
