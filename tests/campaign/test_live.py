"""The whole campaign with real frameworks on the CPU and a driver that is played, as it will run on the day."""

import os
import shutil
import sys

import pytest

from tests.campaign import gpu_machine
from tests.campaign.running import campaign, outcomes
from tests.fake_driver import compiled_driver, machine  # noqa: F401
from tests.live.environments import environment

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler"
)

#: What needs no GPU that computes, and stands early enough to be reached on a busy machine.
DONE = {
    "machine": "recorded", "snapshot": "recorded", "side-by-side": "as-expected", "recording": "as-expected",
    "cvd-empty": "as-expected", "cvd-uuid": "as-expected", "stub-libcuda": "as-expected",
    "device-assert": "not-possible", "held-memory": "not-possible",
    # The frameworks are built for the CPU, beside a GPU: it is said, as it must be.
    "check-static": "contradicts",
}  # fmt: skip


def test_the_campaign_runs_from_end_to_end(fake_driver, tmp_path):
    python = environment("cpu")
    gpu_machine.write_smi(tmp_path / "bin")
    env = {
        **fake_driver.environment(machine("H100", 1)),
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
    }
    words = ("--quick", "--minutes", "1.7", "-o", tmp_path / "out", "--python", python)
    done = campaign(*words, env=env, timeout=150)
    found = outcomes(tmp_path / "out")
    assert done.returncode == 1, done.stdout + done.stderr
    assert {name: found[name]["outcome"] for name in DONE} == DONE, done.stdout
    assert not [name for name, row in found.items() if row["outcome"] == "broke"], done.stdout
    assert found["check-static"]["named"] == "torch-cpu-only, jax-cpu-only, tf-cpu-only"
    assert all(row["words"] for row in found.values() if row["outcome"] == "not-possible")
