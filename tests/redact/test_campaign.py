"""Planted secrets in every encoding and field, and clean lines: a sample here, all with GPUDOCTOR_CAMPAIGN=1."""

import base64
import html
import json
import os
import random
from collections.abc import Callable, Iterator
from urllib.parse import quote

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import encode
from gpudoctor.facts.live import AgentRun, DeviceList, Live, SmokeRun, Stage, Symptom, Thrown, Trial
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Environ, LoginSetting
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.redact.credentials import fact_without_credentials
from gpudoctor.redact.redactor import Door
from gpudoctor.report.facts import fact_groups
from gpudoctor.report.html import render_html
from gpudoctor.report.junit import render_junit
from gpudoctor.report.markdown import render_markdown
from gpudoctor.report.terminal import Style, render_terminal
from gpudoctor.report.view import view_of
from gpudoctor.rules.load import load_rules
from tests.redact.clean_lines import clean_lines
from tests.redact.filled import planted
from tests.whole import driver, framework, gpu, machine

_ALL = bool(os.environ.get("GPUDOCTOR_CAMPAIGN"))

ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "percent": lambda text: quote(text, safe=""),
    "percent twice": lambda text: quote(quote(text, safe=""), safe=""),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "escapes": lambda text: "".join(c if c.isalnum() else f"\\u{ord(c):04x}" for c in text),
    "entities": html.escape,
    "JSON": json.dumps,
    "bytes": lambda text: repr(text.encode()),
}


def _live(**fields: object) -> Live:
    run = AgentRun(framework="torch", task="smoke", ending="failed", **fields)  # type: ignore[arg-type]
    return Live(smoke=(SmokeRun(framework="torch", run=run),))


def _thrown(text: str) -> Thrown:
    return Thrown(type="RuntimeError", text=text, traceback=f"Traceback\n{text}")


#: Where a secret may stand in a snapshot.
FIELDS: dict[str, Callable[[str], dict[str, object]]] = {
    "variable": lambda text: {"environ": Environ(variables={"NCCL_X": text})},
    "PATH": lambda text: {"environ": Environ(variables={"PATH": f"/usr/bin:{text}"})},
    "login file": lambda text: {
        "environ": Environ(variables={}, login=(LoginSetting(name="LD_LIBRARY_PATH", value=text, file="~/.bashrc"),))
    },
    "taken_at": lambda text: {"taken_at": text},
    "host": lambda text: {"host": Gap(reason=text)},
    "container": lambda text: {"container": Gap(reason=f"tried {text}, {text}")},
    "gpus": lambda text: {"gpus": Gap(reason=text)},
    "driver": lambda text: {"driver": Gap(reason=f"({text})")},
    "toolkits": lambda text: {"toolkits": Gap(reason=f"'{text}'")},
    "packages": lambda text: {"packages": Gap(reason=text)},
    "log": lambda text: {"live": _live(log=(text,))},
    "error": lambda text: {"live": _live(error=_thrown(text))},
    "reason": lambda text: {"live": _live(reason=text)},
    "stage": lambda text: {"live": _live(stages=(Stage(name="import", outcome="failed", error=_thrown(text)),))},
    "trial": lambda text: {
        "live": Live(
            smoke=(
                SmokeRun(
                    framework="torch",
                    run=AgentRun(framework="torch", task="smoke", ending="finished"),
                    trials=(Trial(device="cpu", network="dense", outcome="failed", error=_thrown(text)),),
                ),
            )
        )
    },
    "symptom": lambda text: {"live": Live(symptoms=(Symptom(signature="cuda-out-of-memory", text=text, where="x"),))},
    "devices": lambda text: {
        "live": Live(
            devices=(
                DeviceList(
                    framework="torch",
                    run=AgentRun(framework="torch", task="devices", ending="failed", error=_thrown(text)),
                ),
            )
        )
    },
}

_BASE = machine(
    (gpu("NVIDIA GeForce RTX 3090", "8.6"),),
    driver=driver("550.54.14"),
    frameworks=(framework("torch", "2.5.1+cu124"),),
)


def _plantings(chance: random.Random) -> Iterator[tuple[str, str, str, str, str]]:
    """Kind, encoding, field, text and secret of each planting."""
    for kind, (text, secret) in planted(chance).items():
        for encoding, encoded in ENCODINGS.items():
            for field in FIELDS:
                yield kind, encoding, field, f"before {encoded(text)} after", secret


def _outputs(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Everything that shows a snapshot, as the commands make it."""
    cleaned = fact_without_credentials(snapshot)
    report = report_of(cleaned, diagnose(cleaned, load_matrix(), load_rules()), fail_on="error", not_run=())
    yield "check json", encode(report).decode()
    yield "terminal", render_terminal(view_of(report), Style(width=100, unicode=True, verbosity=1))
    shared = Door().fact(report)
    view, groups = view_of(shared), fact_groups(shared.snapshot)
    yield "report json", encode(shared).decode()
    yield "markdown", render_markdown(view, groups)
    yield "html", render_html(view, groups)
    yield "junit", render_junit(shared)


def test_no_planted_secret_leaves() -> None:
    chance = random.Random(2026)
    plantings = list(_plantings(chance))
    assert len(plantings) >= 200 * 9 * 17
    every, leaked = (plantings if _ALL else chance.sample(plantings, 400)), []
    for number in range(0, len(every), len(FIELDS)):
        # One in each field at a time: a sample of them shares a snapshot.
        for kind, encoding, field, text, secret in every[number : number + len(FIELDS)]:
            plain = {"plain": secret, "coded": ENCODINGS[encoding](secret)}.values()
            passed = encode(Door().fact(_changed({**FIELDS[field](text)}))).decode()
            if any(one in passed for one in plain):
                leaked.append((kind, encoding, field, "snapshot"))
        kind, encoding, field, text, secret = every[number]
        for name, shown in _outputs(_changed(FIELDS[field](text))):
            if secret in shown or ENCODINGS[encoding](secret) in shown:
                leaked.append((kind, encoding, field, name))
    assert leaked == []


def _changed(fields: dict[str, object]) -> Snapshot:
    from msgspec import structs

    return structs.replace(_BASE, **fields)  # type: ignore[no-any-return]


def test_clean_lines_stay_as_they_are() -> None:
    lines = list(clean_lines(random.Random(1), 25_000 if _ALL else 3_000))
    assert [line for line in lines if Door().text(line) != line] == []


def test_facts_that_hold_no_credential_are_not_made_anew() -> None:
    snapshot = machine((gpu("Tesla T4", "7.5"),), driver=driver("580.65.06"))
    assert fact_without_credentials(snapshot) is snapshot
