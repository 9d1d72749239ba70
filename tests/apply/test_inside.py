"""Environments whose folder cannot be renamed: a file system of their own, a parent that cannot be written."""

import json
import os
import random
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Proved, Started
from gpudoctor.apply.in_place import is_fixed, restore_content
from gpudoctor.apply.journal import Change, load_changes
from gpudoctor.apply.lock import Busy, Lock
from gpudoctor.apply.preconditions import Refused, check_folder
from gpudoctor.apply.sizes import sizer
from gpudoctor.apply.undo import undo
from gpudoctor.facts.fix import Run
from tests.apply.test_faults import mounted
from tests.apply.test_kill import patiently, touches
from tests.apply.wheels import environment, offline, tree

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="mounts and attributes of Linux"),
    pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed"),
]


@contextmanager
def a_mount(folder):
    folder.mkdir()
    mounted(folder, "96m")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def a_closed_parent(folder):
    """Immutable, as root may write everywhere else."""
    folder.mkdir()
    if subprocess.run(["chattr", "+i", folder.parent], capture_output=True, check=False).returncode:
        pytest.skip("a folder cannot be made immutable here")
    try:
        yield folder
    finally:
        subprocess.run(["chattr", "-i", folder.parent], check=True)


@pytest.fixture(params=[a_mount, a_closed_parent])
def fixed(request, tmp_path, index):
    """An environment with kit 1.0."""
    (tmp_path / "parent").mkdir()
    with request.param(tmp_path / "parent" / "env") as path:
        environment(path, pip=False)
        argv = ("uv", "pip", "install", "--quiet", "--python", f"{path}/bin/python", "kit==1.0")
        subprocess.run(argv, env=offline(index), check=True)
        yield str(path)


def content(path):
    return {name: value for name, value in tree(path).items() if not name.startswith(".gpudoctor")}


def do(path, index, *words, outcome="passed"):
    argv = ("uv", "pip", "install", "--python", f"{path}/bin/python", *(words or ("kit==2.0",)))
    work = Work(environment=path, kind="changed", steps=(Run(argv=argv),), variables=offline(index), wanted=("kit",))
    events = []
    end = carry_out(work, lambda _: (Proved(framework="kit", outcome=outcome),), events.append, sizer())
    return end, events


def test_a_change_and_the_way_back(fixed, index):
    assert is_fixed(fixed)
    before = tree(fixed)
    end, events = do(fixed, index)
    assert end.outcome == "installed-and-proved", end.reason
    assert next(event for event in events if isinstance(event, Started)).way == "inside"
    assert subprocess.run([f"{fixed}/bin/kit-says"], capture_output=True, check=True).stdout == b"kit 2.0\n"
    undo(load_changes(fixed)[-1])
    assert tree(fixed) == before
    assert subprocess.run([f"{fixed}/bin/kit-says"], capture_output=True, check=True).stdout == b"kit 1.0\n"


@pytest.mark.parametrize(("words", "outcome"), [(("kit==9.9",), "passed"), ((), "failed")])
def test_what_fails_leaves_nothing(fixed, index, words, outcome):
    before = tree(fixed)
    end, _ = do(fixed, index, *words, outcome=outcome)
    assert end.exit_code in (6, 7), end.reason
    assert tree(fixed) == before


def test_two_at_once(fixed, index):
    with Lock(fixed):
        assert do(fixed, index)[0].outcome == "refused"
        with pytest.raises(Busy):
            Lock(fixed).__enter__()


def test_killed_at_many_points(fixed, index):
    before = content(fixed)
    total = touches(fixed, index, "beside")
    undo(load_changes(fixed)[-1])
    assert content(fixed) == before
    for at in sorted(random.Random(4).sample(range(1, total), 10)):
        asked = {"environment": fixed, "index": str(index), "words": ["kit==2.0"], "way": "beside", "do": "change"}
        argv = [sys.executable, "-m", "tests.apply.victim", json.dumps({**asked, "at": at})]
        subprocess.run(argv, capture_output=True, check=False, timeout=60)
        changes = [one for one in load_changes(fixed) if one.state not in ("undone", "failed")]
        for change in changes:
            patiently(lambda change=change: undo(change, anyway=True))
        assert content(fixed) == before


@pytest.mark.parametrize("done", range(5))
def test_putting_back_can_be_cut_short_anywhere(tmp_path, monkeypatch, done):
    change = Change(
        id="20261122-014319-99c3", begun="", kind="changed", way="inside", environment=str(tmp_path / "env"),
        names=("bin", "lib"),
    )  # fmt: skip
    for folder in (change.environment, change.tree):
        for name in ("bin", "lib"):
            os.makedirs(f"{folder}/{name}")
    for name in ("bin", "new"):
        os.makedirs(f"{change.environment}/{name}/changed")
    rename, left = os.rename, [None] * done

    def cut(source, target):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        rename(source, target)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(os, "rename", cut)
        restore_content(change)
    restore_content(change)
    assert set(os.listdir(change.environment)) == {"bin", "lib", os.path.basename(change.folder)}
    assert os.listdir(f"{change.environment}/bin") == []
    assert os.listdir(change.tree) == []


def test_a_new_environment_in_place_of_a_mount_is_refused_with_what_would_do(tmp_path):
    with a_mount(tmp_path / "it's") as path, pytest.raises(Refused, match="file system of its own") as refused:
        check_folder(str(path), exists=True)
    assert str(refused.value).endswith(f"""--venv '{tmp_path}/it'"'"'s/env'.""")
