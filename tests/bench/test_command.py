"""The whole command, with real frameworks."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from gpudoctor.facts.bench_report import BenchReport
from gpudoctor.facts.codec import decode
from tests.e2e.command import gpudoctor
from tests.fake_driver import compiled_driver, machine  # noqa: F401 - fixture
from tests.live.environments import environment

#: The first import from a slow disk, on a busy machine.
PATIENCE = 240


@pytest.fixture
def python():
    return environment("cpu")


def measured(python, tmp_path, *arguments, env=None):
    """The report, and the finished process."""
    file = tmp_path / "bench.json"
    done = gpudoctor("bench", "--python", python, "--json", str(file), *arguments, timeout=PATIENCE, env=env)
    assert file.exists(), done.err
    return decode(file.read_bytes(), BenchReport), done


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_a_cpu_is_measured(framework, python, tmp_path):
    page = tmp_path / "bench.html"
    report, done = measured(python, tmp_path, "--framework", framework, "--seconds", "4", "--html", str(page))
    assert done.returncode == 0, done.err
    bench = report.bench
    assert (bench.framework, report.run.ending, bench.complete) == (framework, "finished", True)
    assert bench.version
    assert [device.name for device in bench.devices] == ["cpu"]
    # What has begun is not broken off: a repetition, or a graph that is compiled. test_rounds holds it to account.
    assert bench.seconds < 4 + 8
    assert bench.import_seconds > 0
    # The most telling first: whatever else there was time for, these were measured.
    first = next(one for one in bench.steps if one.network == "dense")
    assert (first.batch, first.input_size, first.device) == (64, 28, "cpu")
    for one in bench.measured:
        assert 0 < one.time.p20 <= one.time.median <= one.time.p80 < 60
        assert 1 <= len(one.time.rounds) <= 3
        assert one.time.repeats >= 1
    assert not report.conclusion.speedups
    assert "No GPU was measured" in done.out or "too noisy" in done.out
    assert page.read_text().startswith("<!doctype html>")
    assert "Wrote" in done.err


def test_samples_of_a_gpu_that_the_framework_does_not_use(fake_driver, python, tmp_path):
    """A CPU build of PyTorch beside a driver: the GPU is watched, and nothing is said of its speed."""
    env = fake_driver.environment(machine("RTX 4090", 1))
    report, done = measured(python, tmp_path, "--framework", "torch", "--seconds", "1", env=env)
    assert done.returncode == 0, done.err
    samples = report.bench.samples
    assert len(samples) >= 2
    assert {one.device for one in samples} == {"gpu:0"}
    assert samples[0].uuid
    assert samples[0].temperature_c is not None
    assert samples[0].throttle_reasons == ("GpuIdle",)
    assert [one.at for one in samples] == sorted(one.at for one in samples)
    assert report.bench.gpus == ()
    assert "torch sees no GPU, though there is GPU 0 (NVIDIA GeForce RTX 4090): `gpudoctor check`" in " ".join(
        report.conclusion.sentences
    )
    assert not report.conclusion.speedups


def test_ctrl_c_in_the_middle(python, tmp_path):
    file, page = tmp_path / "bench.json", tmp_path / "bench.html"
    command = [sys.executable, "-m", "gpudoctor", "bench", "--python", python, "--framework", "torch"]
    child = subprocess.Popen(
        [*command, "--seconds", "300", "--json", str(file), "--html", str(page)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    agents = _wait_for_agent(child.pid)
    # Until it has begun to measure: it has used the processor for longer than an import takes.
    until = time.monotonic() + PATIENCE
    while sum(agents[0].cpu_times()[:2]) < 14 and time.monotonic() < until:
        time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 130, (out, err)
    assert "interrupted" in err
    assert "Traceback" not in err
    assert not any(agent.is_running() and agent.status() != psutil.STATUS_ZOMBIE for agent in agents)
    report = decode(file.read_bytes(), BenchReport)
    assert (report.run.ending, report.bench.complete) == ("interrupted", False)
    assert report.bench.measured
    assert "stopped before its end" in out
    assert "stopped before its end" in page.read_text()


def _wait_for_agent(pid):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        agents = [one for one in psutil.Process(pid).children(recursive=True) if _runs_the_bench(one)]
        if agents:
            return agents
        time.sleep(0.05)
    raise AssertionError("no agent was started")


def _runs_the_bench(process):
    # Other children come and go: one may end between the look at the list and the look at itself.
    with suppress(psutil.NoSuchProcess):
        return any("bench_torch" in word for word in process.cmdline())
    return False


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seconds", "0"), "0 is not in the range"),
        (("--seconds", "-5"), "is not in the range"),
        (("--seconds", "nan"), "give a number of seconds"),
        (("--seconds", "many"), "'many' is not a valid"),
        (("--framework", "mxnet"), "none of the frameworks that can be measured"),
        (("--device", "gpu"), "is no device"),
        (("--device", "tpu:0"), "is no device"),
        (("--device", "gpu:7"), "there is no GPU gpu:7"),
        (("--host-memory", "fast"), "not of the form 2933x4"),
        (("--host-memory", "2933x0"), "not of the form 2933x4"),
        (("--python", "/nowhere/python"), "/nowhere/python"),
    ],
)
def test_what_cannot_be_meant(arguments, words, python):
    given = arguments if "--python" in arguments else ("--python", python, *arguments)
    done = gpudoctor("bench", *given)
    assert done.returncode == 2
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_framework_that_is_not_installed(tmp_path):
    python = environment("torchcuda")
    done = gpudoctor("bench", "--python", python, "--framework", "tensorflow")
    assert done.returncode == 2
    assert "tensorflow is not installed for" in done.err
    assert "there is torch" in done.err


def test_an_environment_without_a_framework():
    done = gpudoctor("bench", "--python", sys.executable)
    assert done.returncode == 3
    assert "none of PyTorch, TensorFlow and JAX is installed for" in done.err


@pytest.mark.parametrize("option", ["--html", "--json"])
def test_a_place_that_cannot_be_written_is_refused_before_measuring(option, python, tmp_path):
    began = time.monotonic()
    for path, words in ((tmp_path, "it is a directory"), (tmp_path / "no" / "such" / "file", "no such directory")):
        done = gpudoctor("bench", "--python", python, option, str(path))
        assert done.returncode == 3
        assert words in done.err
    there = tmp_path / "there"
    there.write_text("precious")
    done = gpudoctor("bench", "--python", python, option, str(there))
    assert done.returncode == 2
    assert "--force" in done.err
    assert there.read_text() == "precious"
    assert time.monotonic() - began < 20


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_closed(python, tmp_path):
    tmp_path.chmod(0o500)
    done = gpudoctor("bench", "--python", python, "--json", str(tmp_path / "file"))
    assert done.returncode == 3
    assert "permission denied" in done.err


def test_json_on_standard_output_is_only_json(python):
    done = gpudoctor(
        "bench", "--python", python, "--framework", "torch", "--seconds", "1", "--format", "json", timeout=PATIENCE
    )
    assert json.loads(done.stdout)["bench"]["framework"] == "torch"


def test_a_framework_that_cannot_be_imported(tmp_path):
    """A torch.py beside the program shadows PyTorch: it is not measured, and the reason is told."""
    python = environment("cpu")
    (tmp_path / "torch.py").write_text("raise ImportError('this is not PyTorch')")
    (tmp_path / "bench.html").write_text("of yesterday")
    files = ("--html", "bench.html", "--json", "bench.json", "--force")
    done = gpudoctor(
        "bench", "--python", python, "--framework", "torch", "--seconds", "1", *files, cwd=tmp_path, timeout=PATIENCE
    )
    assert done.returncode == 3
    assert "torch could not be measured: ImportError: this is not PyTorch" in done.err
    assert (tmp_path / "bench.html").read_text() == "of yesterday", "nothing was measured that could replace it"
    assert not (tmp_path / "bench.json").exists()


def test_tensorflow_1_is_refused_in_words():
    python = environment("tf115")
    done = gpudoctor("bench", "--python", python, "--seconds", "1", timeout=PATIENCE)
    assert done.returncode == 3
    assert "TensorFlow 1 is not measured" in done.err


def test_an_old_tensorflow_2_on_python_3_6(tmp_path):
    report, done = measured(environment("tf24"), tmp_path, "--seconds", "2")
    assert done.returncode == 0, done.err
    assert report.bench.version.startswith("2.4")
    assert report.bench.steps
