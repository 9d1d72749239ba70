"""The real conda, where there is one: it takes the commands that are printed, and what it did is taken back."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.command import gpudoctor
from tests.e2e.test_break_and_mend import tree

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(shutil.which("conda") is None, reason="there is no conda, and no package index serves it"),
]
WISH = ("jax", "--cpu")


def conda(*arguments: str) -> str:
    done = subprocess.run(["conda", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ran(folder: Path, *arguments: str):
    return gpudoctor(*arguments, env={**os.environ, "XDG_STATE_HOME": str(folder / "state")}, timeout=900)


@pytest.fixture
def own(tmp_path: Path) -> str:
    """An environment with a Python, from conda-forge."""
    path = str(tmp_path / "envs" / "own")
    version = ".".join(map(str, sys.version_info[:2]))
    conda("create", "--yes", "--prefix", path, "--override-channels", "--channel", "conda-forge", f"python={version}")
    conda("install", "--yes", "--prefix", path, "--override-channels", "--channel", "conda-forge", "pip")
    return path


def test_a_new_environment_is_verified_made_proved_and_removed(tmp_path):
    path = tmp_path / "envs" / "new"
    tried = ran(tmp_path, "install", *WISH, "--conda", str(path), "--dry-run")
    assert (tried.returncode, path.exists()) == (0, False), tried.err
    assert "verified by conda create --dry-run" in tried.err
    made = ran(tmp_path, "install", *WISH, "--conda", str(path), "--yes")
    assert made.returncode == 0, made.err
    assert {"jax", "python"} <= {one["name"] for one in json.loads(conda("list", "--json", "--prefix", str(path)))}
    back = ran(tmp_path, "undo", "--yes", "--python", str(path))
    assert back.returncode == 0, back.err
    assert not path.parent.exists()


def test_an_environment_that_is_there_is_afterwards_as_it_was(tmp_path, own):
    before = tree(Path(own))
    made = ran(tmp_path, "install", *WISH, "--conda", own, "--yes")
    assert made.returncode == 0, made.err
    back = ran(tmp_path, "undo", "--yes", "--python", own)
    assert back.returncode == 0, back.err
    # The copy is what is there now: its small files are new ones.
    assert {name: one[:3] for name, one in tree(Path(own)).items()} == {name: one[:3] for name, one in before.items()}
    assert "python" in conda("list", "--prefix", own)


def test_base_is_left_alone(tmp_path):
    base = json.loads(conda("info", "--json"))["root_prefix"]
    done = ran(tmp_path, "install", *WISH, "--python", base, "--yes")
    assert (done.returncode, "conda's base environment" in done.err) == (6, True), done.err


def test_it_takes_the_environment_file(tmp_path):
    version = ".".join(map(str, sys.version_info[:2]))
    file = str(tmp_path / "env.yml")
    options = ("--cuda", "cpu", "--python", version, "--format", "conda-env", "--output", file)
    assert ran(tmp_path, "plan", "jax", *options).returncode == 0
    assert "python" in conda("env", "create", "--dry-run", "--name", "gpudoctor-test", "--file", file)
