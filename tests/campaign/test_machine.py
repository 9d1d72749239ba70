"""The campaign on a machine with a GPU that is played: every fault that a child process can be given is judged."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.campaign import gpu_machine
from tests.campaign.running import SCRIPTS, campaign, environment_with_torch, outcomes
from tests.fake_driver import compiled_driver, machine  # noqa: F401

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)

#: Each with the first cause that is named.
MASKS = {
    "cvd-empty": "cvd-invalid", "cvd-out-of-range": "cvd-invalid", "cvd-unknown-uuid": "cvd-invalid",
    "cvd-twice": "cvd-invalid", "cvd-order": "cvd-invalid", "cvd-uuid": "none",
}  # fmt: skip
FILES = {"stub-libcuda": "libcuda-stub", "other-cudnn": "ld-path-shadows-cudnn", "hidden-library": "files-damaged"}
VIEWS = {"no-uvm": "uvm-missing", "closed-nodes": "dev-permission"}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return environment_with_torch(tmp_path_factory.mktemp("target"))


@pytest.fixture
def played(fake_driver, tmp_path):
    """Variables of a machine with an H100 and its nvidia-smi."""
    gpu_machine.write_smi(tmp_path / "bin")
    variables = fake_driver.environment(machine("H100", 1))
    return {**variables, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}


def only(*names):
    return [word for name in names for word in ("--only", name)]


def test_the_untouched_machine_is_healthy_and_agrees_with_nvidia_smi(played, python, tmp_path):
    steps = ("machine", "snapshot", "check-static", "side-by-side", "recording")
    done = campaign(*only(*steps), "-o", tmp_path / "out", "--python", python, env=played)
    assert done.returncode == 0, done.stdout + done.stderr
    found = outcomes(tmp_path / "out")
    assert {name: found[name]["outcome"] for name in steps} == {
        "machine": "recorded", "snapshot": "recorded", "check-static": "as-expected", "side-by-side": "as-expected",
        "recording": "as-expected",
    }  # fmt: skip
    kept = "".join(path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert "GPU-00000000-1111-2222" not in kept, "a UUID was kept"


def test_a_fact_that_nvidia_smi_tells_otherwise(played, python, tmp_path):
    gpu_machine.write_smi(tmp_path / "bin", width=8)
    done = campaign(*only("side-by-side"), "-o", tmp_path / "out", "--python", python, env=played)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "pcie.link.width.max: NVML 16, nvidia-smi 8" in outcomes(tmp_path / "out")["side-by-side"]["words"]


def test_faults_of_the_surroundings_are_named_first(played, python, tmp_path):
    planted = {**MASKS, **FILES}
    done = campaign(*only(*planted), "-o", tmp_path / "out", "--python", python, env=played)
    found = outcomes(tmp_path / "out")
    assert {name: found[name]["named"] for name in planted} == planted, done.stdout
    assert done.returncode == 0


@pytest.mark.skipif(not gpu_machine.can_be_made(), reason="this system lets nobody make namespaces and nodes")
def test_faults_of_the_nodes_are_named_first(fake_driver, played, python, tmp_path):
    env = {**played, "FAKE_DRIVER": fake_driver.environment(machine("H100", 1, **gpu_machine.GATES))["FAKE_DRIVER"]}
    (tmp_path / "inside").mkdir()
    before = ["unshare", "--mount", sys.executable, gpu_machine.__file__, str(tmp_path / "inside")]
    steps = ("check-static", "no-driver-library", *VIEWS)
    done = campaign(*only(*steps), "-o", tmp_path / "out", "--python", python, env=env, before=before)
    found = outcomes(tmp_path / "out")
    assert found["check-static"]["outcome"] == "as-expected", done.stdout
    assert {name: found[name]["named"] for name in VIEWS} == VIEWS, done.stdout
    library = found["no-driver-library"]
    assert library["named"] in ("nvml-library-missing", "container-no-compute-cap")
    assert library["outcome"] == "as-expected"
    assert not os.path.exists("/dev/nvidia0"), "the view has left its namespace"


def test_what_was_done_before_a_kill_is_kept_and_gone_on_with(played, python, tmp_path):
    folder, archive = tmp_path / "out", tmp_path / "kept.tar.gz"
    words = [*only("check-static", "cvd-empty", "cvd-twice"), "-o", folder, "--python", python, "--archive", archive]
    command = [sys.executable, str(SCRIPTS / "gpu_campaign"), *map(str, words)]
    with subprocess.Popen(command, env=played, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        until = time.monotonic() + 60
        while time.monotonic() < until and not _started(folder, "cvd-empty"):
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
    assert campaign("--report", "-o", folder, env=played).returncode in (0, 3)
    shutil.rmtree(folder)
    done = campaign(*words, "--resume", env=played)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {row["outcome"] for row in outcomes(folder).values()} == {"as-expected"}
    events = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert [event["step"] for event in events if event["event"] == "ended"].count("check-static") == 1


def _started(folder, name):
    try:
        return f'"step": "{name}"' in (folder / "results.jsonl").read_text()
    except OSError:
        return False


def test_an_interrupted_run_says_what_was_done(played, python, tmp_path):
    folder = tmp_path / "out"
    command = [sys.executable, str(SCRIPTS / "gpu_campaign"), "-o", str(folder), "--python", str(python)]
    with subprocess.Popen(command, env=played, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        until = time.monotonic() + 60
        while time.monotonic() < until and not _started(folder, "check-static"):
            time.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=30)[0]
    assert running.returncode == 130, said
    found = outcomes(folder)
    assert found["snapshot"]["outcome"] == "recorded"
    assert found["check-static"]["outcome"] == "cut-off"
    assert found["smoke"]["outcome"] == "not-reached"


def test_a_full_disk_is_said_and_nothing_is_lost(played, python):
    full = "/dev/full"
    if not os.path.exists(full):
        pytest.skip("there is no /dev/full")
    if not gpu_machine.can_be_made():
        pytest.skip("this system lets nobody mount")
    small = 'mkdir -p $0/small && mount -t tmpfs -o size=16k tmpfs $0/small && exec "$@"'
    folder = os.path.dirname(played["FAKE_DRIVER"])
    before = ["unshare", "--mount", "sh", "-c", small, folder]
    steps = only("snapshot", "check-static", "cvd-empty")
    done = campaign(*steps, "-o", f"{folder}/small/out", "--python", python, env=played, before=before)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "Not written to" in done.stdout
    assert "cvd-invalid / cvd-invalid" in done.stdout


def test_a_folder_that_cannot_be_written_to(played, python):
    done = campaign(*only("cvd-empty"), "-o", "/proc/nowhere", "--python", python, env=played)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "/proc/nowhere cannot be written to" in done.stderr
    shutil.rmtree(done.stdout.rpartition("Kept in ")[2].strip())


def test_no_gpu_and_no_framework(python, tmp_path):
    import venv

    venv.create(tmp_path / "empty", with_pip=False)
    env = {name: value for name, value in os.environ.items() if name not in ("FAKE_DRIVER", "LD_LIBRARY_PATH")}
    without = {"side-by-side", "cvd-empty", "cvd-twice", "stub-libcuda", "device-assert", "numbers"}
    steps = only("machine", "check-static", *sorted(without), "smoke", "bench-1")
    done = campaign(*steps, "-o", tmp_path / "out", "--python", tmp_path / "empty" / "bin" / "python", env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    found = outcomes(tmp_path / "out")
    assert found["check-static"]["outcome"] == "recorded"
    assert "Traceback" not in done.stdout + done.stderr
    impossible = {name for name, row in found.items() if row["outcome"] == "not-possible"}
    assert impossible >= without
    assert all(row["words"] for name, row in found.items() if name in impossible)


def test_bad_words(played, tmp_path):
    assert campaign("--only", "nothing", "-o", tmp_path / "out", env=played).returncode == 2
    assert campaign("--part", "99", "-o", tmp_path / "out", env=played).returncode == 2
    assert campaign("--minutes", "0", env=played).returncode == 2
    assert campaign("--resume", env=played).returncode == 2
    listed = campaign("--list", env=played)
    assert listed.returncode == 0
    assert "part 1, at most" in listed.stdout


def test_nothing_is_written_into_the_checkout(played, python, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in SCRIPTS.rglob("*")}
    env = {**played, "PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}
    assert campaign(*only("cvd-empty"), "-o", tmp_path / "out", "--python", python, env=env).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in SCRIPTS.rglob("*")} == before
