"""A change of an environment, told in a line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpudoctor.apply.journal import Change, Distribution, write
from gpudoctor.cli.main import cli
from gpudoctor.install.changes import told

REFUSED = "pip install --dry-run says that it cannot be installed:"


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("The disk is full.\nMore of it.", "failed: The disk is full."),
        (f"{REFUSED}\nWARNING: Retrying\nERROR: No torch==9", f"failed: {REFUSED} ERROR: No torch==9"),
        (REFUSED, f"failed: {REFUSED}"),
        ("\n", "failed: "),
        (None, "failed: no reason is known"),
    ],
)
def test_a_failure_says_why(reason, line):
    change = Change(id="1", begun="2026-01-01", kind="new", environment="/e", state="failed", reason=reason)
    assert told(change) == f"1  /e  {line}"


DIST = Distribution(name="jax", version="0.6.2")


@pytest.mark.parametrize(
    ("fields", "says", "does_not"),
    [
        (
            {"state": "undone", "before": (DIST,), "reason": "it was cut short"},
            "cut short; everything was put back",
            "- jax",
        ),
        ({"state": "undone", "after": (DIST,)}, "+ jax 0.6.2 (undone)", "cut short"),
    ],
)
def test_a_run_that_was_cut_short_is_not_told_as_a_removal(fields, says, does_not):
    line = told(Change(id="1", begun="2026-01-01", kind="changed", environment="/e", **fields))
    assert says in line
    assert does_not not in line


def test_what_a_killed_undo_left_is_named_and_the_next_undo_removes_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    environment = tmp_path / "env"
    environment.mkdir()
    change = Change(id="20261122-101112-abcd", begun="1", kind="changed", environment=str(environment), after=(DIST,))
    os.makedirs(change.tree)
    Path(change.tree, "libtorch.so").write_bytes(b"x" * 3_000_000)
    write(change, state="undone")
    listed = CliRunner().invoke(cli, ["history", "--python", str(environment)])
    assert change.folder in listed.output
    assert "3 MB" in listed.output
    undone = CliRunner().invoke(cli, ["undo", "--python", str(environment), "--yes"])
    assert undone.exit_code == 0
    assert sorted(os.listdir(tmp_path)) == ["env", "state"]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that sleeps")
def test_who_works_in_an_environment_is_said_before_it_is_undone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    environment = tmp_path / "env"
    environment.mkdir()
    write(Change(id="20261122-101112-abcd", begun="1", kind="new", environment=str(environment)), state="done")
    with subprocess.Popen(["sleep", "60"], cwd=environment) as sleeper:
        try:
            said = CliRunner().invoke(cli, ["undo", "--python", str(environment)])
        finally:
            sleeper.kill()
    assert said.exit_code == 2
    assert f"process {sleeper.pid}" in said.output
