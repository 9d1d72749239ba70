"""Processes that could meet on a GPU import side by side and use it one after the other."""

import sys
import threading
import time

import pytest

from gpudoctor.probes.live.run import Asked, run_agent
from tests.live.fakes import fake_environment, fake_host

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there they are run one after the other")

#: A torch whose question for GPUs takes as long as the variable says, and notes when it began and ended.
USES_GPU = """
import time, types
def is_available():
    with open(os.environ["NOTES"], "a") as notes:
        notes.write("begin %s %f\\n" % (os.getpid(), time.time()))
        time.sleep(float(os.environ["HOLD"]))
        notes.write("end %s %f\\n" % (os.getpid(), time.time()))
    return False
cuda = types.SimpleNamespace(is_available=is_available)
"""


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory):
    return fake_environment(tmp_path_factory.mktemp("fakes") / "env", "torch")


def run_beside(count, interpreter, notes, hold, **asked):
    host = fake_host(torch=USES_GPU)
    host.env = {**host.env, "NOTES": str(notes), "HOLD": str(hold)}
    runs = []

    def one():
        runs.append(run_agent(host, interpreter, "torch", "devices", Asked(**asked))[0])

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return runs


def overlap(notes):
    """How many held it at once, at most."""
    moments = sorted((float(line.split()[2]), line.split()[0]) for line in notes.read_text().splitlines())
    holders, most = 0, 0
    for _, what in moments:
        holders += 1 if what == "begin" else -1
        most = max(most, holders)
    return most


def test_one_at_a_time_and_waiting_is_no_delay(interpreter, tmp_path):
    began = time.monotonic()
    runs = run_beside(3, interpreter, tmp_path / "notes", 4, deadline=9, turns=True)
    assert time.monotonic() - began > 12
    assert [run.ending for run in runs] == ["finished"] * 3, "the last one waited longer than its deadline"
    assert overlap(tmp_path / "notes") == 1
    assert all("wait for the GPU" in [stage.name for stage in run.stages] for run in runs)


def test_without_turns_they_run_side_by_side(interpreter, tmp_path):
    runs = run_beside(3, interpreter, tmp_path / "notes", 3, deadline=30)
    assert [run.ending for run in runs] == ["finished"] * 3
    assert overlap(tmp_path / "notes") > 1


def test_one_that_hangs_with_the_turn_lets_go_at_its_deadline(interpreter, tmp_path):
    runs = run_beside(2, interpreter, tmp_path / "notes", 60, deadline=6, turns=True)
    assert [run.ending for run in runs] == ["timed-out"] * 2
    assert {run.stopped_in for run in runs} == {"torch.cuda.is_available"}, "each had its turn"
