"""`fix --verify`: what the real installers answer about the commands of a plan, and that nothing is changed by it."""

import os

import pytest
from click.testing import CliRunner

from gpudoctor.cli.fix import command
from gpudoctor.cli.verifying import say_verified
from gpudoctor.model.fix import Ask, Fix, Run
from gpudoctor.model.plan import Mending, Plan
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
    before = {name: one for name, one in tree(bare).items() if name != ".lock"}
    say_verified(plan(*steps(manager, os.path.join(bare, "bin", "python"), *wanted.split())))
    told = capsys.readouterr().err
    assert answer in told, told
    assert f"{manager} install --dry-run" in told.replace("uv pip", "uv")
    # uv leaves its empty lock file in the environment.
    assert {name: one for name, one in tree(bare).items() if name != ".lock"} == before


def test_an_environment_that_is_not_there_yet(capsys):
    say_verified(plan(Run(argv=("nowhere/bin/python", "-m", "pip", "install", "kit"))))
    assert "this environment is not there yet" in capsys.readouterr().err


def test_nothing_to_verify(capsys):
    say_verified(plan(Ask(text="Update the driver.")))
    assert "nothing to verify" in capsys.readouterr().err


def test_another_machines_snapshot_cannot_be_verified():
    done = CliRunner().invoke(command, ["--from", "x.json", "--verify"])
    assert done.exit_code == 2
    assert "--verify asks the installer of this one" in done.output
