"""`gpudoctor fix`, as it is typed."""

import json
import os
import shutil
import stat
import subprocess
import sys

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.facts.codec import encode
from tests.cases.load import cases
from tests.e2e.command import gpudoctor

CASES = {case.id: case for case in cases()}
#: torch for the wrong GPU; a driver too old; a package to build in WSL.
ARCH, DRIVER = "041-rtx5090d-driver-plus-nightly-cu128", "027-driver470-vs-cu121-fooocus"


@pytest.fixture
def saved(tmp_path):
    def save(name):
        path = tmp_path / "snapshot.json"
        path.write_bytes(encode(CASES[name].snapshot()))
        return str(path)

    return save


def ran(*arguments, **options):
    return CliRunner().invoke(cli, ["fix", *arguments], **options)


def test_the_plan_of_a_broken_environment(saved):
    done = ran("--from", saved(ARCH))
    assert done.exit_code == 1, done.output
    text = " ".join(done.output.split())
    assert "1. Install PyTorch 2.7.1 built for CUDA 12.8 (your own environment)" in text
    assert "FRM002: torch" in text
    assert "-m pip install torch==2.7.1+cu128 --index-url https://download.pytorch.org/whl/cu128" in text
    assert "To undo: install again: torch==2.5.1+cu124" in text


def test_what_it_needs_is_said(saved):
    text = " ".join(ran("--from", saved(DRIVER)).output.split())
    assert "In total this needs root, a restart." in text


def test_json_is_the_report_with_its_plan(saved):
    document = json.loads(ran("--from", saved(ARCH), "--format", "json").output)
    (one,) = document["plan"]["fixes"]
    assert one["scope"] == "user"
    assert one["cures"] == ["FRM002"]
    assert one["fix"]["steps"][-1]["argv"][-1].endswith("/whl/cu128")
    assert document["exit_code"] == 1


def test_a_script_is_written_whole_executable_and_clean(saved, tmp_path):
    path = tmp_path / "fix.sh"
    done = ran("--from", saved(ARCH), "--script", str(path))
    assert done.exit_code == 1
    assert "read it, then run it" in done.output
    assert path.stat().st_mode & stat.S_IXUSR
    assert sorted(os.listdir(tmp_path)) == ["fix.sh", "snapshot.json"], "no half-written neighbour is left"
    text = path.read_text()
    assert text.startswith("#!/usr/bin/env bash\n")
    assert "\nset -eu\n" in text
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", str(path)], check=True)


def test_a_script_on_standard_output(saved):
    done = ran("--from", saved(ARCH), "--script", "-")
    assert done.output.startswith("#!/usr/bin/env bash\n")
    assert "Fix:" not in done.output


def test_only_some_findings(saved):
    path = saved(DRIVER)
    both = json.loads(ran("--from", path, "--format", "json").output)
    codes = {code for one in both["plan"]["fixes"] for code in one["cures"]}
    assert "FRM016" in codes
    assert "Nothing to fix." in ran("--from", path, "--only", "ENV001").output
    assert "FRM016" in ran("--from", path, "--only", "env001,frm016").output
    assert "FRM016" in ran("--from", path, "--only", "driver-too-old").output


def test_a_demand_that_is_not_met_gets_a_fix(saved):
    done = ran("--from", saved("cuda" if "cuda" in CASES else ARCH), "--require", "driver>=600", "--only", "DRV900")
    assert "Install a driver of branch 600 or newer" in done.output
    jax = ran("--from", saved(ARCH), "--require", "jax>=0.6", "--only", "FRM900")
    assert "'jax[cuda12]==" in jax.output or "'jax[cuda13]==" in jax.output
    other = ran("--from", saved(ARCH), "--require", "transformers>=4", "--only", "FRM900")
    assert "-m pip install 'transformers>=4'" in other.output


@pytest.mark.parametrize("more", [(), ("--script", "-"), ("--apply", "--yes")])
def test_what_cannot_be_examined_is_not_called_whole(more, tmp_path):
    text = tmp_path / "no-python.txt"
    text.write_text("This is no interpreter.\n")
    done = ran("--python", str(text), *more)
    assert done.exit_code == 3, done.output
    assert "Inconclusive" in done.output
    assert "no-python.txt could not be started" in " ".join(done.output.replace("# ", "").split())
    assert "Nothing" not in done.output


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--only", "XYZ123"), 2, "XYZ123"),
        (("--python", "/nowhere", "--from", "x"), 2, "--python"),
        (("--from", "/gone.json"), 2, "/gone.json"),
        (("--script", "-", "--format", "json"), 2, "Name a file"),
    ],
)
def test_bad_input_is_one_clear_message(arguments, code, words, saved):
    done = ran(*arguments)
    assert done.exit_code == code, done.output
    assert words in done.output
    assert "Traceback" not in done.output


def test_a_script_that_cannot_be_written_changes_nothing(saved, tmp_path):
    done = ran("--from", saved(ARCH), "--script", str(tmp_path / "gone" / "x.sh"))
    assert done.exit_code == 3
    assert "could not be written" in done.output
    folder = tmp_path / "folder"
    folder.mkdir()
    assert ran("--from", saved(ARCH), "--script", str(folder)).exit_code == 3
    assert os.listdir(folder) == []


def test_not_a_snapshot(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("{}")
    assert ran("--from", str(path)).exit_code == 3


def test_this_machine(tmp_path):
    done = gpudoctor("fix", "--python", sys.executable, cwd=tmp_path)
    assert done.returncode in (0, 1, 3), done.err
    assert not done.err or "Traceback" not in done.err
    assert os.listdir(tmp_path) == []
