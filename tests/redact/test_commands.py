"""Every command in every format passes one door; a new command fails here until it is in."""

import random
from typing import Any

import click
import pytest

from gpudoctor.cli import main as entry
from gpudoctor.cli.main import COMMANDS, cli
from gpudoctor.facts.base import Gap
from gpudoctor.facts.bench import Bench
from gpudoctor.facts.codec import encode
from gpudoctor.facts.live import AgentRun, DeviceList, Live, SmokeRun, Thrown
from gpudoctor.facts.system import Environ
from tests.redact.filled import planted
from tests.whole import driver, framework, gpu, machine

SECRETS = [*list(planted(random.Random(11)).values())[::7], ('secret = "correct horse battery"', "horse")]
TEXTS = [text for text, _ in SECRETS]


def _run(task: Any) -> AgentRun:
    error = Thrown(type="RuntimeError", text="\n".join(TEXTS), traceback="\n".join(TEXTS))
    return AgentRun(framework="torch", task=task, ending="failed", error=error, log=tuple(TEXTS), reason=TEXTS[0])


def snapshot() -> Any:
    live = Live(
        devices=(DeviceList(framework="torch", run=_run("devices")),),
        smoke=(SmokeRun(framework="torch", run=_run("smoke")),),
    )
    return machine(
        (gpu("NVIDIA GeForce RTX 3090", "8.6"),),
        driver=driver("550.54.14"),
        frameworks=(framework("torch", "2.5.1+cu124"),),
        environ=Environ(variables={f"NCCL_X{number}": text for number, text in enumerate(TEXTS)}),
        toolkits=Gap(reason="; ".join(TEXTS)),
        live=live,
    )


#: What a command is given, so that it shows somebody's data; F is a snapshot, E one without secrets, T a ticket.
SHOWN = {
    "advise": ["resnet-50", "--from", "F"],
    "bench": ["--framework", "torch", "-q"],
    "brief": ["F"],
    "check": ["--from", "F"],
    "devices": ["-v", "-q"],
    "diff": ["E", "F"],
    "explain": ["T"],
    "fix": ["--from", "F"],
    "report": ["--from", "F", "-o", "-"],
    "smoke": ["torch", "-v", "-q"],
    "triage": ["F"],
}
#: Commands that show no facts of a machine; what was typed comes back in their errors, which is tested below.
WITHOUT = {"history", "install", "matrix", "mcp", "plan", "rules", "snapshot", "undo"}


def _formats(name: str) -> tuple[str, ...]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    kinds = [one.type for one in command.params if one.name == "form" and isinstance(one.type, click.Choice)]
    return tuple(one for one in kinds[0].choices if one != "zip") if kinds else ("",)


def test_every_command_is_here() -> None:
    assert {*SHOWN, *WITHOUT} == {*COMMANDS}
    assert not {*SHOWN} & WITHOUT


@pytest.mark.parametrize(("name", "form"), [(name, form) for name in SHOWN for form in _formats(name)])
def test_no_command_shows_a_planted_secret(name: str, form: str, tmp_path, monkeypatch, capfdbinary) -> None:
    (tmp_path / "F").write_bytes(encode(snapshot()))
    (tmp_path / "E").write_bytes(encode(machine((gpu("NVIDIA GeForce RTX 3090", "8.6"),))))
    monkeypatch.chdir(tmp_path)
    planted_snapshot = snapshot()
    monkeypatch.setattr("gpudoctor.examine.look.begin_to_examine", lambda _python: lambda: planted_snapshot)
    monkeypatch.setattr("gpudoctor.examine.look.run_frameworks", lambda found, **_: (found, True))
    monkeypatch.setattr(
        "gpudoctor.cli.bench._measure",
        lambda *_, **__: (Bench(framework="torch", seconds_asked=1, seconds=1), _run("bench")),
    )
    given = [" ".join(TEXTS) if word == "T" else word for word in SHOWN[name]]
    monkeypatch.setattr("sys.argv", ["gpudoctor", name, *given, *(["--format", form] if form else [])])
    assert entry.main() in (0, 1, 3)
    out, err = capfdbinary.readouterr()
    shown = (out + err).decode()
    assert [text for text, secret in SECRETS if secret in shown] == []
    assert out or name == "bench"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_an_error_repeats_no_password(name: str, monkeypatch, capfd) -> None:
    word = "hunter2" + "Zq7"
    monkeypatch.setattr("sys.argv", ["gpudoctor", name, f"--no-such=https://ada:{word}@nexus.example.net/simple"])
    assert entry.main() == 2
    assert word not in "".join(capfd.readouterr())
    monkeypatch.setattr("sys.argv", ["gpudoctor", name, *["https://ada:" + word + "@nexus.example.net/x"] * 3])
    entry.main()
    assert word not in "".join(capfd.readouterr())
