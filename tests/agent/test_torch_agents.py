"""The agents of PyTorch, run by real interpreters with real releases of it."""

import contextlib
import json
import signal
import subprocess
import time

import psutil
import pytest

from tests.agent.ask_agent import AGENT, ask, crowding
from tests.fake_driver import FakeDriver, compiled_driver, machine  # noqa: F401
from tests.live.environments import environment

# Devices --------------------------------------------------------------------------------------------------------------


def test_a_build_for_the_cpu_lists_the_cpu():
    told = ask(environment("cpu"), "devices_torch")
    listed = told.devices[-1]
    assert told.finished and not told.unexpected
    assert [(device.name, device.kind) for device in listed.devices] == [("cpu", "cpu")]
    assert (listed.gpu_available, listed.built_with_cuda, listed.built_with_rocm) == (False, False, False)
    assert listed.version.endswith("+cpu") and listed.cuda is None and listed.cudnn is None
    assert {stage.outcome for stage in told.stages.values()} == {"passed"}


@pytest.mark.parametrize(
    ("name", "cuda", "cudnn", "arch"), [("torchcuda", "13.0", "9.", "sm_90"), ("torch110", "10.2", "7.6.5", "sm_70")]
)
def test_a_build_for_cuda_without_a_driver_says_so_in_its_own_words(name, cuda, cudnn, arch):
    told = ask(environment(name), "devices_torch", env={"LD_LIBRARY_PATH": ""})
    listed = told.devices[-1]
    assert told.finished and not told.unexpected
    assert listed.gpu_available is False and listed.built_with_cuda
    assert str(listed.cuda) == cuda and listed.cudnn.startswith(cudnn) and arch in listed.archs
    assert listed.nccl.startswith("2.")
    count, init = told.stages["cudaGetDeviceCount"], told.stages["torch.cuda.init"]
    assert count.outcome == init.outcome == "failed"
    assert "returned 35, cudaErrorInsufficientDriver: CUDA driver version is insufficient" in count.error.text
    assert init.error.type == "RuntimeError" and "Found no NVIDIA driver on your system" in init.error.text


@pytest.mark.parametrize(
    ("scenario", "code", "words"),
    [
        ({"cuda": 12020}, 35, "driver on your system is too old (found version 12020)"),
        ({"cuda": 13000, "err.cuInit": 999}, 999, "CUDA unknown error"),
        ({"cuda": 13000, "err.cuInit": 804}, 804, "forward compatibility was attempted on non supported HW"),
        ({"cuda": 13000, "err.cuInit": 803}, 803, "unsupported display driver / cuda driver combination"),
        ({"cuda": 13000, "err.cuInit": 802}, 802, "system not yet initialized"),
        ({"cuda": 13000, "err.cuInit": 100}, 100, "No CUDA GPUs are available"),
    ],
)
def test_a_driver_that_fails_is_quoted(scenario, code, words, fake_driver: FakeDriver):
    python = environment("torchcuda")
    told = ask(python, "devices_torch", env=fake_driver.environment(machine("RTX 4090", 1, **scenario)))
    assert told.finished and told.devices[-1].gpu_available is False
    assert f"cudaGetDeviceCount returned {code}, " in told.stages["cudaGetDeviceCount"].error.text
    said = told.stages["torch.cuda.init"].error.text + str(told.devices[-1].notes)
    assert words in said
    assert told.devices[-1].cudnn, "a failed question has taken the others with it"


def test_a_driver_that_hangs_leaves_what_was_learned_before(fake_driver: FakeDriver):
    env = fake_driver.environment(machine("RTX 4090", 1, cuda=13000, **{"do.cuInit": "hang"}))
    python = environment("torchcuda")
    told = next(
        told
        for timeout in (20, 100)
        if "import torch" in (told := ask(python, "devices_torch", env=env, timeout=timeout)).stages
    )
    assert not told.finished
    assert told.begun[-1] == "torch.cuda.is_available" and "torch.cuda.is_available" not in told.stages
    assert str(told.devices[-1].cuda) == "13.0" and "sm_90" in told.devices[-1].archs


# Training -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cpu", "torch110"])
def test_a_quick_training_on_the_cpu(name):
    told = ask(environment(name), "smoke_torch", quick=True)
    assert told.finished and not told.unexpected
    assert [(trial.network, trial.precision) for trial in told.trials] == [("dense", "float32"), ("conv", "float32")]
    for trial in told.trials:
        assert trial.outcome == "passed" and trial.placed_on == "cpu"
        assert trial.last_loss < 0.7 * trial.first_loss and trial.accuracy >= trial.threshold == 0.9
        assert 0 < trial.difference < trial.tolerance == 0.001


def test_the_agent_costs_little_beside_import_and_training():
    def overhead():
        told = ask(environment("cpu"), "smoke_torch", quick=True)
        return told.wall - told.stages["import torch"].seconds - sum(trial.seconds for trial in told.trials)

    assert any(overhead() < 0.5 * crowding() for _ in range(3))


def test_every_precision_on_the_cpu():
    alone = "agent.several = lambda *rest: None"
    told = ask(environment("cpu"), "smoke_torch", code=alone, devices=["cpu"], seconds=250)
    assert told.finished and not told.unexpected and not [one for one in told.trials if one.outcome == "failed"]
    for precision in ("float16", "bfloat16", "mixed-float16", "mixed-bfloat16"):
        for network in ("dense", "conv"):
            trial = told.trial(network, precision)
            assert trial.outcome == "passed" and 0 < trial.difference < trial.tolerance
    compiled = next(trial for trial in told.trials if trial.mode == "compile")
    assert compiled.outcome == "passed" or "stopped after" in compiled.detail or "compiler" in compiled.detail


def test_an_old_release_skips_what_it_cannot_do():
    told = ask(environment("torch110"), "smoke_torch", devices=["cpu"])
    assert told.finished and not [one for one in told.trials if one.outcome == "failed"]
    half = told.trial("conv", "float16")
    assert half.outcome == "skipped" and "not implemented for 'Half'" in half.detail
    compiled = next(trial for trial in told.trials if trial.mode == "compile")
    assert compiled.outcome == "skipped" and "new in 2.0" in compiled.detail
    assert told.trial("data-parallel", device="cpu+cpu").outcome == "passed"


def test_what_is_not_here_is_skipped():
    told = ask(environment("cpu"), "smoke_torch", devices=["gpu:0", "mps", "xpu:1"], quick=True)
    assert told.finished and {trial.outcome for trial in told.trials} == {"skipped"}
    assert "torch sees none of cuda devices" in told.trial("dense", device="gpu:0").detail
    assert "MPS" in told.trial("dense", device="mps").detail


def test_no_time_is_no_failure():
    told = ask(environment("cpu"), "smoke_torch", quick=True, seconds=0.001)
    assert {trial.outcome for trial in told.trials} == {"skipped"}
    assert "no time was left" in told.trials[-1].detail


def test_data_that_is_not_to_be_had_is_skipped():
    told = ask(environment("cpu"), "smoke_torch", data="fashion-mnist", quick=True)
    stage = told.stages["load fashion-mnist"]
    assert stage.outcome == "skipped" and "torchvision" in stage.detail
    assert told.finished and not told.trials


@pytest.mark.parametrize(
    ("breaking", "network", "detail"),
    [
        pytest.param(
            "agent.train.__globals__['ready'] = lambda batch, device, precision: (batch[0] * 0, batch[1])",
            "dense",
            "the accuracy is",
            id="black images",
        ),
        pytest.param(
            "import torch\nfound = torch.nn.Conv2d.forward\n"
            "torch.nn.Conv2d.forward = lambda self, x: found(self, x) * (1 if x.dtype == torch.float64 else 1.01)",
            "conv",
            "the result differs from the CPU's by",
            id="a convolution that is one percent off",
        ),
        pytest.param(
            "import torch_adam\ntorch_adam.Adam.step = lambda self: None",
            "dense",
            "the loss did not fall",
            id="no steps",
        ),
        pytest.param(
            "import torch\ntorch.nn.functional.cross_entropy = lambda a, b: (a * float('nan')).sum()",
            "dense",
            "the first loss is nan",
            id="not a number",
        ),
    ],
)
def test_a_training_that_goes_wrong_fails(breaking, network, detail):
    told = ask(environment("cpu"), "smoke_torch", code=breaking, quick=True)
    assert told.finished
    trial = told.trial(network)
    assert trial.outcome == "failed" and detail in trial.detail


def test_an_error_in_a_training_is_told_and_the_next_is_tried():
    breaking = (
        "import torch\ndef broken(self, x): raise RuntimeError('CUDA error: no kernel image is available')\n"
        "torch.nn.Conv2d.forward = broken"
    )
    told = ask(environment("cpu"), "smoke_torch", code=breaking, quick=True)
    assert told.trial("dense").outcome == "passed"
    assert told.trial("conv").error.text == "CUDA error: no kernel image is available"
    assert told.stages["train conv float32 on cpu"].outcome == "failed"


# Several processes ----------------------------------------------------------------------------------------------------

ONLY_TOGETHER = "import smoke_torch as agent\nagent.train_on = lambda *rest: None\nagent.compiled = None"


def test_two_processes_agree():
    told = ask(environment("cpu"), "smoke_torch", code=ONLY_TOGETHER, devices=["cpu"], seconds=250)
    assert told.trial("all-reduce", device="cpu+cpu").outcome == "passed"
    together = told.trial("data-parallel", device="cpu+cpu")
    assert together.outcome == "passed" and together.mode == "gloo" and together.placed_on == "cpu + cpu"
    assert together.accuracy >= 0.9 and 0 < together.difference < together.tolerance


def test_processes_that_do_not_meet_are_quoted():
    env = {"GLOO_SOCKET_IFNAME": "no-such-interface"}
    told = ask(environment("cpu"), "smoke_torch", code=ONLY_TOGETHER, env=env, devices=["cpu"])
    for network in ("all-reduce", "data-parallel"):
        trial = told.trial(network, device="cpu+cpu")
        assert trial.outcome == "failed"
        assert "in init_process_group" in trial.detail and "no-such-interface" in trial.error.text


def test_processes_end_with_the_agent():
    python = environment("cpu")
    code = f"import sys; sys.path.insert(0, {str(AGENT)!r})\n{ONLY_TOGETHER}\nfrom agent_channel import Channel\n"
    child = subprocess.Popen(
        [python, "-B", "-c", f"{code}Channel().run(agent.main)"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    ranks: list[psutil.Process] = []
    try:
        child.stdin.write(json.dumps({"devices": ["cpu"]}).encode())
        child.stdin.close()
        while len(ranks) < 2:
            assert child.poll() is None
            with contextlib.suppress(psutil.NoSuchProcess):
                children = psutil.Process(child.pid).children()
                ranks = [one for one in children if "torch_rank" in " ".join(one.cmdline())]
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        child.wait()
        _, alive = psutil.wait_procs(ranks, timeout=60)
        assert not alive
    finally:
        child.stdout.close()
        for one in [*ranks, child]:
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                one.kill()


# Python 3.6 -----------------------------------------------------------------------------------------------------------


def test_every_agent_compiles_in_python_36():
    python = environment("tf24")
    files = sorted(str(path) for path in AGENT.glob("*.py"))
    code = "import sys\nfor path in sys.argv[1:]:\n    compile(open(path, encoding='utf-8').read(), path, 'exec')\n"
    done = subprocess.run([python, "-c", code, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
