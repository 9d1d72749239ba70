"""Which conda environments are installed into. A program that answers as conda 26.7.1 does stands in for it."""

import json
import os
import sys

import pytest

from tests.e2e.command import gpudoctor

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for conda")
LINKED = {"name": "python", "version": "3.12.1", "build_string": "h1_0"}
WOULD = {"success": True, "actions": {"FETCH": [], "LINK": [LINKED], "PREFIX": "/e"}, "dry_run": True}


@pytest.fixture
def machine(tmp_path):
    """A conda with some environments; runs `gpudoctor install jax --cpu` there."""
    root = tmp_path / "conda"
    (root / "envs" / "mine").mkdir(parents=True)
    (root / "envs" / "mine" / "thesis.txt").write_text("mine")
    (root / "envs" / "tools" / "conda-meta").mkdir(parents=True)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "info.json").write_text(json.dumps({"root_prefix": str(root), "envs_dirs": [str(root / "envs")]}))
    (folder / "would.json").write_text(json.dumps(WOULD))
    asks = f"info*) cat {folder}/info.json;; *--dry-run*) cat {folder}/would.json;; *) touch {folder}/ran; exit 1;;"
    (folder / "conda").write_text(f'#!/bin/sh\ncase "$*" in {asks} esac\n')
    (folder / "conda").chmod(0o755)

    def install(*options):
        env = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "XDG_STATE_HOME": str(tmp_path / "state")}
        return gpudoctor("install", "jax", "--cpu", *options, env=env, cwd=tmp_path)

    return install


@pytest.mark.parametrize("more", ["--yes", "--dry-run"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mine", "exists and is no environment of conda"),
        ("tools", "has no Python. Add one: conda install --prefix "),
        ("a:b", "cannot be the path of an environment"),
    ],
)
def test_where_nothing_is_made(machine, tmp_path, name, words, more):
    """conda itself would go on in a folder that is there, and a failure would take with it what was in it."""
    done = machine("--conda", name, more)
    assert (done.returncode, words in done.err) == (6, True), done.err
    assert (tmp_path / "conda" / "envs" / "mine" / "thesis.txt").read_text() == "mine"
    assert not (tmp_path / "bin" / "ran").exists()


def test_a_dry_run_asks_conda(machine, tmp_path):
    done = machine("--conda", "new", "--dry-run")
    assert done.returncode == 0, done.err
    assert "verified by conda create --dry-run" in done.err
    assert "pip is asked once the environment is there" in done.err
    assert not (tmp_path / "conda" / "envs" / "new").exists()


def test_a_conda_that_fails_leaves_nothing(machine, tmp_path):
    done = machine("--conda", "new", "--yes")
    assert done.returncode == 7, done.err
    assert (tmp_path / "bin" / "ran").exists()
    assert sorted(os.listdir(tmp_path / "conda" / "envs")) == ["mine", "tools"]
