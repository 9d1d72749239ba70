"""A report in which every text tries to become something else: markup, a script, a link, a command."""

from typing import Any

from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import from_plain, to_plain
from gpudoctor.facts.finding import Diagnosis, Evidence, Finding, Skipped
from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv, Write
from gpudoctor.facts.report import Report
from gpudoctor.facts.snapshot import Snapshot
from tests.cases.load import cases

ATTACKS = (
    "<script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>",
    "'\"><svg onload=window.owned=1>",
    "</pre></code></details><script>window.owned=1</script>",
    "</style><script>window.owned=1</script>",
    "```\n</details>\n# owned\n```",
    "[owned](javascript:window.owned=1) ![x](http://203.0.113.1/x.png)",
    "@everyone #1 \u202eowned\x00\x1b[31m\r\n::error::owned %0A]]>",
)
ATTACK = " ".join(ATTACKS)


def hostile_report() -> Report:
    """A real machine's report with an attack in every free text of it."""
    steps = (
        Run(argv=("pip", "install", ATTACK)),
        SetEnv(name="X", value=ATTACK, where=ATTACK),
        Write(path=ATTACK, text=ATTACK),
        Ask(text=ATTACK),
    )
    finding = Finding(
        code="FRM002",
        name="arch-too-new-for-build",
        severity="error",
        summary=ATTACK,
        subject=ATTACK,
        evidence=(Evidence(fact=ATTACK, value=ATTACK),),
        fixes=(Fix(title=ATTACK, safety="safe", steps=steps),),
    )
    snapshot = from_plain(_attacked(to_plain(cases()[0].snapshot())), Snapshot)
    follows = Finding(code="LIB001", name="x", severity="warning", summary=ATTACK, because_of=("FRM002",))
    note = Finding(code="GPU001", name="x", severity="info", summary=ATTACK)
    return Report(
        verdict="findings",
        exit_code=1,
        unseen=(ATTACK,),
        matrix_edition=ATTACK,
        diagnosis=Diagnosis(
            findings=(finding, follows, note), skipped=(Skipped(code="DRV001", gap=Gap(reason=ATTACK)),)
        ),
        snapshot=snapshot,
    )


#: Texts that are one of a few words, or numbers: nothing else can be in them.
_FREE = (
    "name",
    "path",
    "reason",
    "executable",
    "pretty_name",
    "kernel",
    "model",
    "text",
    "location",
    "summary",
    "version_text",
)


def _attacked(value: Any, key: str = "") -> Any:
    if isinstance(value, str):
        return f"{value} {ATTACK}" if key in _FREE else value
    if isinstance(value, dict):
        return {name: _attacked(item, name) for name, item in value.items()}
    return [_attacked(item, key) for item in value] if isinstance(value, list | tuple) else value
