"""`fix --verify`: what the real installers answer about the commands of a plan, and that nothing is changed by it."""

import os
import sys

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.plan import Mending, Plan
from gpudoctor.install.verifying import say_verified
from tests.apply.test_carry_out import offline, steps
from tests.apply.wheels import tree


def plan(*of_it):
    return Plan(fixes=(Mending(fix=Fix(title="x", safety="safe", steps=of_it), cures=("PYT001",), scope="user"),))


@pytest.mark.parametrize("manager", ["pip", "uv"])
@pytest.mark.parametrize(
    ("wanted", "answer"),
    [("kit==2.0", "it would install kit==2.0, part==1.5."), ("greedy kit==2.0", "refuses."), ("nowhere", "refuses.")],
)
def test_the_answer_of_the_installer(index, bare, manager, wanted, answer, monkeypatch, capsys):
    for name, value in offline(index).items():
        monkeypatch.setenv(name, value)
    before = tree(bare)
    say_verified(plan(*steps(manager, os.path.join(bare, "bin", "python"), *wanted.split())))
    told = capsys.readouterr().err
    assert answer in told, told
    assert f"{manager} install --dry-run" in told.replace("uv pip", "uv")
    assert tree(bare) == before


@pytest.mark.parametrize("manager", ["pip", "uv"])
def test_an_environment_that_is_not_there_yet_is_made_elsewhere(index, manager, monkeypatch, capsys, tmp_path):
    for name, value in offline(index).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    make = {"pip": (sys.executable, "-m", "venv", "new"), "uv": ("uv", "venv", "--python", sys.executable, "new")}
    say_verified(plan(Run(argv=make[manager]), *steps(manager, "new/bin/python", "kit==2.0")))
    assert "it would install kit==2.0, part==1.5." in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ((), "its environment is not there"),
        ((Run(argv=("python0.1", "-m", "venv", "nowhere")),), "there is no program 'python0.1'"),
        ((Run(argv=("python3", "-m", "venv", "other")),), "its environment is not there"),
    ],
)
def test_what_cannot_be_asked_is_said(made, why, capsys):
    say_verified(plan(*made, Run(argv=("nowhere/bin/python", "-m", "pip", "install", "kit"))))
    assert why in capsys.readouterr().err


def test_what_is_compiled_against_the_rest_is_not_asked_about(bare, capsys):
    python = os.path.join(bare, "bin", "python")
    say_verified(plan(Run(argv=(python, "-m", "pip", "install", "--no-build-isolation", "kit"))))
    assert "not verified: it is compiled against" in capsys.readouterr().err


def test_nothing_to_verify(capsys):
    say_verified(plan(Ask(text="Update the driver.")))
    assert "nothing to verify" in capsys.readouterr().err


def test_another_machines_snapshot_cannot_be_verified():
    done = CliRunner().invoke(cli, ["fix", "--from", "x.json", "--verify"])
    assert done.exit_code == 2
    assert "--verify asks the installer of this one" in done.output
