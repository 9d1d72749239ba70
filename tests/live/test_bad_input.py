"""Bad input of devices and smoke: one clear message and the documented exit code, before anything is run."""

import os
import signal
import subprocess
import sys
import time

import pytest

from gpudoctor.facts.codec import encode
from tests.e2e.command import gpudoctor
from tests.live.fakes import MODULE, fake_environment
from tests.whole import BARE


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """An environment with a torch whose import does what FAKE_TORCH says."""
    interpreter = fake_environment(tmp_path_factory.mktemp("fakes") / "env")
    folder = os.path.dirname(os.path.dirname(interpreter.executable))
    (name,) = os.listdir(os.path.join(folder, "lib"))
    site = os.path.join(folder, "lib", name, "site-packages")
    files = {
        "torch/__init__.py": MODULE.format(name="TORCH"),
        "torch/version.py": "__version__ = '2.6.0+cpu'\ncuda = None\nhip = None\n",
        "torch-2.6.0+cpu.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.6.0+cpu\n",
    }
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(site, path)), exist_ok=True)
        with open(os.path.join(site, path), "w", encoding="utf-8") as file:
            file.write(text)
    return interpreter.executable


def says(done, code, *words):
    assert done.returncode == code, done.out + done.err
    assert "Traceback" not in done.err
    for word in words:
        assert word in done.err, done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("theano",), ("theano", "tensorflow", "torch")),
        (("jax",), ("jax is not installed", "torch")),
        (("--device", "gpu"), ("gpu:0",)),
        (("--device", "gpu:-1"), ("gpu:-1",)),
        (("--device", "cuda:0"), ("cuda:0", "--device")),
        (("--device", "gpu:99"), ("gpu:99",)),
        (("--timeout", "0"), ("--timeout",)),
        (("--timeout", "-3"), ("--timeout",)),
        (("--timeout", "nan"), ("--timeout",)),
        (("--timeout", "inf"), ("--timeout",)),
        (("--timeout", "soon"), ("--timeout",)),
        (("--data", "imagenet"), ("--data",)),
        (("--python", "/no/such/python"), ("/no/such/python",)),
    ],
    ids=" ".join,
)
def test_smoke_refuses(arguments, words, python):
    given = () if "--python" in arguments else ("--python", python)
    says(gpudoctor("smoke", *given, *arguments), 2, *words)


def test_nothing_to_run(tmp_path):
    empty = fake_environment(tmp_path / "env").executable
    says(gpudoctor("smoke", "--python", empty), 3, "none of TensorFlow, PyTorch")
    assert "No device to list" in gpudoctor("devices", "--python", empty).out


def test_an_interpreter_that_cannot_be_examined(tmp_path):
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "python3").chmod(0o755)
    says(gpudoctor("smoke", "--python", str(tmp_path / "python3")), 3, "could not be examined")


def test_a_snapshot_judged_later_runs_nothing(tmp_path, python):
    (tmp_path / "saved.json").write_bytes(encode(BARE))
    done = gpudoctor("check", "--from", str(tmp_path / "saved.json"), env={"FAKE_TORCH": "os._exit(9)"})
    assert done.returncode == 0, done.out


def test_a_timeout_says_where(python):
    done = gpudoctor("smoke", "--python", python, "--timeout", "2", env={"FAKE_TORCH": "import time; time.sleep(60)"})
    assert done.returncode == 1, done.out + done.err
    assert "longer than 2 s" in " ".join(done.out.split())
    assert "import torch" in done.out


def test_a_crash_is_no_healthy_check(python):
    done = gpudoctor("check", "--python", python, env={"FAKE_TORCH": "os._exit(0)"})
    assert done.returncode != 0, done.out
    assert "Healthy" not in done.out and "Fine" not in done.out


@pytest.mark.parametrize("command", [("check",), ("smoke",), ("devices",)])
def test_ctrl_c_in_the_middle(command, python):
    environment = {**os.environ, "FAKE_TORCH": "import time; time.sleep(61.25)"}
    process = subprocess.Popen(
        [sys.executable, "-m", "gpudoctor", *command, "--python", python],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not agents(python) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=20)
    assert process.returncode == 130, out + error
    assert "Traceback" not in error
    assert "interrupted" in error.lower()
    assert "interrupted" in out, "what was found is shown, and said to be a part"
    assert agents(python) == []


def agents(python):
    """The processes in which that interpreter runs our scripts."""
    found = subprocess.run(
        ["pgrep", "-f", f"^{python} .*agent/run_tasks.py"], capture_output=True, text=True, check=False
    )
    return found.stdout.split()
