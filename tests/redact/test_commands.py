"""Every command in every format passes one door; a new command fails here until it is in."""

import random
from typing import Any

import click
import pytest
from msgspec import structs

from gpudoctor.cli import main as entry
from gpudoctor.cli.main import COMMANDS, cli
from gpudoctor.facts.base import Gap
from gpudoctor.facts.bench import Bench
from gpudoctor.facts.codec import encode
from gpudoctor.facts.live import AgentRun, DeviceList, Live, SmokeRun, Thrown
from gpudoctor.facts.system import Environ
from gpudoctor.fleet.record import NoAnswer, NodeFinding, NodeFix, NodeGpu, NodeRecord
from tests.redact.filled import planted
from tests.whole import driver, framework, gpu, machine

SECRETS = [*list(planted(random.Random(11)).values())[::7], ('secret = "correct horse battery"', "horse")]
TEXTS = [text for text, _ in SECRETS]
COMMAND_LINES = "\n".join(f"pip install torch==2.6.0 {text}" for text in TEXTS)


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


#: What a command is given to show somebody's data; F is a snapshot, E one without secrets, T a ticket, N lines
#: of nodes, C commands.
SHOWN = {
    "advise": ["resnet-50", "--from", "F"],
    "bench": ["--framework", "torch", "-q"],
    "brief": ["F"],
    "check": ["--from", "F"],
    "devices": ["-v", "-q"],
    "diff": ["E", "F"],
    "explain": ["T"],
    "fix": ["--from", "F"],
    "fleet merge": ["N", "-v"],
    "look-up": ["T"],
    "node": [],
    "report": ["--from", "F", "-o", "-"],
    "smoke": ["torch", "-v", "-q"],
    "triage": ["F"],
    "verify": ["C", "--for", "F", "-v"],
}
#: Commands that show no facts of a machine; what was typed comes back in their errors, which is tested below.
WITHOUT = {
    *("fleet examples", "fleet run", "history", "install", "matrix", "mcp", "plan", "rules", "snapshot"),
    "undo",
}


def _command(name: str) -> click.Command:
    found: click.Command | None = cli
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)
    assert found is not None
    return found


def _leaves() -> set[str]:
    """All commands; of a group those in it."""
    found = set()
    for name in COMMANDS:
        command = _command(name)
        own = command.list_commands(click.Context(command)) if isinstance(command, click.Group) else ()
        found |= {f"{name} {one}" for one in own} or {name}
    return found


def nodes() -> bytes:
    finding = NodeFinding(code="DRV001", name="x", severity="error", summary="S", fix=NodeFix(title="F"))
    fields: list[dict[str, Any]] = []
    for text in TEXTS:
        fix = NodeFix(title=text, commands=(text,), by_hand=(text,))
        fields += [
            {"findings": (structs.replace(finding, summary=text, subject=text),)},
            {"findings": (structs.replace(finding, fix=fix),)},
            {"fingerprint": {"driver": text, text[:40]: "2"}, "unseen": (text,)},
            {"no_answer": NoAnswer(why="garbage", detail=text)},
            {"role": text, "gpus": (NodeGpu(index=0, model=text),)},
        ]
    records = (NodeRecord(schema=1, host=f"n{number}", **one) for number, one in enumerate(fields))
    return b"".join(encode(one) + b"\n" for one in records)


def _formats(name: str) -> tuple[str, ...]:
    command = _command(name)
    kinds = [one.type for one in command.params if one.name == "form" and isinstance(one.type, click.Choice)]
    return tuple(one for one in kinds[0].choices if one != "zip") if kinds else ("",)


def test_every_command_is_here() -> None:
    known = {*SHOWN, *WITHOUT}
    assert {one for one in _leaves() if one not in known and one.partition(" ")[0] not in WITHOUT} == set()
    assert not {*SHOWN} & WITHOUT


@pytest.mark.parametrize(("name", "form"), [(name, form) for name in SHOWN for form in _formats(name)])
def test_no_command_shows_a_planted_secret(name: str, form: str, tmp_path, monkeypatch, capfdbinary) -> None:
    (tmp_path / "F").write_bytes(encode(snapshot()))
    (tmp_path / "N").write_bytes(nodes())
    (tmp_path / "E").write_bytes(encode(machine((gpu("NVIDIA GeForce RTX 3090", "8.6"),))))
    monkeypatch.chdir(tmp_path)
    planted_snapshot = snapshot()
    monkeypatch.setattr("gpudoctor.examine.look.begin_to_examine", lambda _python: lambda: planted_snapshot)
    monkeypatch.setattr("gpudoctor.probes.take.begin_snapshot", lambda *_, **__: lambda: planted_snapshot)
    monkeypatch.setattr("gpudoctor.examine.look.run_frameworks", lambda found, **_: (found, True))
    monkeypatch.setattr(
        "gpudoctor.cli.bench._measure",
        lambda *_, **__: (Bench(framework="torch", seconds_asked=1, seconds=1), _run("bench")),
    )
    given = [{"T": " ".join(TEXTS), "C": COMMAND_LINES}.get(word, word) for word in SHOWN[name]]
    monkeypatch.setattr("sys.argv", ["gpudoctor", *name.split(), *given, *(["--format", form] if form else [])])
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
