"""kill -9 at any moment: the environment is whole, or what is left says how to make it whole."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from gpudoctor.apply.crash_recovery import mend_unfinished
from gpudoctor.apply.journal import UNFINISHED, load_changes
from gpudoctor.apply.lock import Busy
from gpudoctor.apply.undo import undo
from tests.apply.wheels import offline, tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
UV = shutil.which("uv")


@pytest.fixture(scope="module")
def small(tmp_path_factory, index):
    """An environment with kit 1.0 and nothing else."""
    if UV is None:
        pytest.skip("uv is not installed")
    path = tmp_path_factory.mktemp("small") / "env"
    subprocess.run([UV, "venv", "-q", "--python", sys.executable, path], check=True, env=offline(index))
    subprocess.run(
        [UV, "pip", "install", "-q", "--python", path / "bin/python", "kit==1.0"], check=True, env=offline(index)
    )
    return str(path)


def begin(path, index, way, at=None, do="change", words=("kit==2.0",)):
    asked = {"environment": path, "index": str(index), "words": words, "way": way, "do": do, "at": at}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.apply.victim", json.dumps(asked)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def touches(path, index, way, do="change"):
    out, error = begin(path, index, way, do=do).communicate(timeout=300)
    assert out, error.decode()
    return int(out)


def fresh(small, folder):
    path = str(folder / "env")
    shutil.copytree(small, path, symlinks=True)
    return path


def patiently(call):
    """What the killed run had started holds the lock until it ends."""
    until = time.monotonic() + 120
    while True:
        try:
            return call()
        except Busy:
            assert time.monotonic() < until, "the lock is never given back"
        time.sleep(0.1)


def is_complete(now):
    return any(name.endswith("kit-2.0.dist-info/RECORD") for name in now) and any("part-1.5" in name for name in now)


def recovered(path, before, *, always_whole):
    """After a kill: check what is there, put it right, check again. Returns how it was left."""
    now = tree(path)
    if always_whole:
        assert now == before or is_complete(now)
    changes = load_changes(path)
    state = changes[-1].state if changes else "nothing"
    if state == "done":
        assert is_complete(now)
        patiently(lambda: undo(changes[-1]))
    elif state in UNFINISHED:
        patiently(lambda: undo(changes[-1]))
    now = tree(path)
    # What a cut-off installer had half written where the environment is, is set aside: it might be the user's.
    aside = {name for name in now if name.startswith("unsorted.kept-")} if not always_whole else set()
    assert {name: value for name, value in now.items() if name not in aside} == before
    patiently(lambda: mend_unfinished(path))
    assert [name for name in os.listdir(os.path.dirname(path)) if "gpudoctor-" in name] == []
    return state


@pytest.mark.parametrize("way", ["beside", "in-place"])
def test_killed_at_each_of_many_touches_of_the_disk(small, index, tmp_path, way):
    before = tree(small)
    (tmp_path / "whole").mkdir()
    total = touches(fresh(small, tmp_path / "whole"), index, way)
    # The last touches are those of the switch; each of them is tried.
    points = sorted({*random.Random(1).sample(range(1, total), 12), *range(total - 14, total + 1)})
    states, killed = set(), 0
    for at in points:
        folder = tmp_path / str(at)
        folder.mkdir()
        path = fresh(small, folder)
        victim = begin(path, index, way, at)
        victim.communicate(timeout=300)
        # How often it touches the disk differs by one or two from run to run.
        killed += victim.returncode == -signal.SIGKILL
        states.add(recovered(path, before, always_whole=way == "beside"))
        shutil.rmtree(folder)
    assert killed >= 20
    assert {"preparing", "done"} <= states


def test_killed_at_any_time(small, index, tmp_path):
    """Also in the middle of what the installer does, which goes on after us until it ends."""
    before = tree(small)
    (tmp_path / "whole").mkdir()
    begun = time.monotonic()
    touches(fresh(small, tmp_path / "whole"), index, "in-place")
    lasts = time.monotonic() - begun
    moments = random.Random(2)
    for number in range(24):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = fresh(small, folder)
        victim = begin(path, index, "in-place" if number % 2 else "beside")
        time.sleep(moments.uniform(0.1, 1) * lasts)
        victim.kill()
        victim.communicate(timeout=300)
        recovered(path, before, always_whole=number % 2 == 0)
        shutil.rmtree(folder)


def test_an_undoing_that_is_killed_is_finished_by_the_next(small, index, tmp_path):
    before = tree(small)
    (tmp_path / "whole").mkdir()
    whole = fresh(small, tmp_path / "whole")
    touches(whole, index, "beside")
    total = touches(whole, index, "beside", do="undo")
    for at in random.Random(3).sample(range(1, total), 12):
        folder = tmp_path / str(at)
        folder.mkdir()
        path = fresh(small, folder)
        touches(path, index, "beside")
        victim = begin(path, index, "beside", at, do="undo")
        victim.communicate(timeout=300)
        assert victim.returncode == -signal.SIGKILL
        recovered(path, before, always_whole=True)
        shutil.rmtree(folder)
