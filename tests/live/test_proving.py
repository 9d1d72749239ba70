"""The whole command with real frameworks: what it runs, what it says, and how long it takes beside them."""

import json
import time

import pytest

from gpudoctor.facts.codec import decode_snapshot
from gpudoctor.facts.live import Live
from gpudoctor.host.real import RealHost
from gpudoctor.probes.live.probe import prove
from gpudoctor.probes.take import take_snapshot
from tests.e2e.command import gpudoctor
from tests.live.environments import environment

PATIENCE = 300


def checked(python, *arguments, **options):
    done = gpudoctor("check", "--python", python, "--format", "json", *arguments, timeout=PATIENCE, **options)
    report = json.loads(done.stdout)
    return done, report, decode_snapshot(json.dumps(report["snapshot"]).encode()).live


def test_check_runs_every_framework_of_the_environment():
    done, report, live = checked(environment("cpu"))
    assert {one.framework: one.run.ending for one in live.devices} == dict.fromkeys(
        ("tensorflow", "torch", "keras", "jax"), "finished"
    )
    assert {run.framework for run in live.smoke if run.proved} == {"tensorflow", "torch", "keras", "jax"}
    assert all(trial.device == "cpu" for run in live.smoke for trial in run.trials)
    assert (done.returncode, report["verdict"]) in ((0, "no-gpu"), (1, "findings")), done.out


def test_a_saved_report_of_a_run_is_judged_again_the_same(tmp_path):
    python = environment("tf24")
    _, report, live = checked(python)
    assert isinstance(live, Live)
    (tmp_path / "saved.json").write_text(json.dumps(report["snapshot"]))
    again = json.loads(gpudoctor("check", "--from", str(tmp_path / "saved.json"), "--format", "json").stdout)
    assert {**again, "snapshot": None} == {**report, "snapshot": None}


@pytest.mark.parametrize("name", ["tf24", "tf115"])
def test_old_tensorflow_lists_and_trains(name):
    _, _, live = checked(environment(name))
    assert live.listed_by("tensorflow").run.ending == "finished"
    assert live.smoked("tensorflow").proved, live.smoked("tensorflow")


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])
def test_keras_trains_on_each_backend(backend):
    python = environment("cpu")
    done = gpudoctor(
        "smoke", "keras", "--quick", "--python", python, "--format", "json",
        env={"KERAS_BACKEND": backend}, timeout=PATIENCE,
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert (done.returncode, report["passed"]) == (0, True), done.out
    (run,) = report["runs"]
    assert run["framework"] == "keras"


def test_the_words_say_what_was_proved():
    done = gpudoctor("smoke", "torch", "--quick", "--device", "cpu", "--python", environment("cpu"), timeout=PATIENCE)
    assert done.returncode == 0, done.out + done.err
    assert "PyTorch 2.13.0" in done.out
    assert "cpu: dense float32, conv float32 passed" in " ".join(done.out.split())
    assert done.err == "", "no progress where there is no terminal"


def test_devices_in_one_table():
    done = gpudoctor("devices", "--python", environment("cpu"), timeout=PATIENCE)
    head = next(line for line in done.out.splitlines() if "TensorFlow" in line)
    assert [name for name in ("TensorFlow", "PyTorch", "Keras", "JAX") if name not in head] == []
    assert any(line.startswith("CPU ") for line in done.out.splitlines())


@pytest.mark.timed
@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_the_agent_adds_half_a_second_at_most(framework):
    """Beside the framework's own import and training: starting Python, our scripts, telling, the end."""
    host = RealHost()
    snapshot = take_snapshot(host, environment("cpu"))
    began = time.monotonic()
    live = prove(host, snapshot.interpreter, snapshot.frameworks, only=(framework,))
    whole = time.monotonic() - began
    stages = [*live.listed_by(framework).run.stages, *live.smoked(framework).run.stages]
    own = sum(stage.seconds for stage in stages if stage.name.startswith(("import", "train", "list")))
    assert whole - own <= 0.5 + 0.1 * own, (whole, own, stages)
