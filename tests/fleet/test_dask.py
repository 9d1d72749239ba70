"""`fleet run --via dask`: a scheduler with eight workers, one of which dies in the middle."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.command import gpudoctor

pytest.importorskip("distributed")
pytestmark = pytest.mark.full


_ALONE = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--death-timeout", "60")


class Dask:
    """A scheduler and workers, each a process."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        self._processes = [self._start("scheduler", "--port", "0", "--scheduler-file", f"{folder}/scheduler.json")]
        self._wait((folder / "scheduler.json").exists)
        self.address = json.loads((folder / "scheduler.json").read_text())["address"]
        for _ in range(workers):
            self._processes.append(self._start("worker", self.address, *_ALONE))
        self.workers = self._processes[1:]

    def _start(self, what: str, *more: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "distributed.cli.dask_" + what, "--host", "127.0.0.1", *more]
        if what == "scheduler":
            argv.append("--no-dashboard")
        with (self.folder / f"{what}.log").open("ab") as log:
            return subprocess.Popen(argv, stdout=log, stderr=log, start_new_session=True, cwd=self.folder)

    def _wait(self, ready) -> None:
        for _ in range(300):
            if ready():
                return
            time.sleep(0.1)
        raise AssertionError((self.folder / "scheduler.log").read_text())

    def ready(self, count: int) -> None:
        from distributed import Client

        with Client(self.address, timeout=20) as client:
            client.wait_for_workers(count, timeout=60)

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()


@pytest.fixture
def dask(tmp_path):
    made = Dask(tmp_path, 8)
    try:
        made.ready(8)
        yield made
    finally:
        made.stop()


def test_eight_workers_answer_and_a_dead_one_is_named(dask: Dask, tmp_path) -> None:
    path = tmp_path / "run.jsonl"
    arguments = ("fleet", "run", "--via", "dask", "--scheduler", dask.address, "-o", str(path))
    done = gpudoctor(*arguments, timeout=120)
    assert done.returncode == 0, done.err
    first = [json.loads(line) for line in path.read_text().splitlines()]
    assert len({one["host"] for one in first}) == 8
    assert {one["verdict"] for one in first} == {"no-gpu"}
    path.unlink()
    with subprocess.Popen([sys.executable, "-m", "gpudoctor", *arguments], stderr=subprocess.PIPE) as process:
        time.sleep(1.2)
        os.kill(dask.workers[3].pid, signal.SIGKILL)
        assert process.stderr is not None
        said = process.stderr.read().decode()
        code = process.wait(120)
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert len({one["host"] for one in found if "verdict" in one}) >= 7, said
    if code:  # it may have answered just before it was killed
        silent = [one["no_answer"]["why"] for one in found if "no_answer" in one]
        assert silent in (["crashed"], ["timed-out"]), said
