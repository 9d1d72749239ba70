"""The MCP tools `check` and `snapshot`: this machine, or facts recorded elsewhere."""

import os
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from gpudoctor.assist.conclusion import Conclusion, conclusion_of, facts_of, short_of
from gpudoctor.assist.folders import NotAllowed
from gpudoctor.assist.judged import Judged, judged_report
from gpudoctor.assist.own_process import Ended, Progress, run_own
from gpudoctor.assist.quoting import Quoting, named
from gpudoctor.assist.tool import CannotAnswer, Session, Takes, Tool
from gpudoctor.facts.base import Fact
from gpudoctor.facts.codec import decode, encode
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.report import Report
from gpudoctor.facts.snapshot import SECTIONS, Snapshot

Decoded = TypeVar("Decoded", bound=Fact)

#: Findings, facts not seen, and lines of evidence of a short and of a full answer.
_SHORT, _FULL = (5, 5, 0), (40, 20, 6)
#: Characters of a section of facts.
_SECTION = 20_000
_DEADLINE = 60.0


class Look(Takes, frozen=True, kw_only=True):
    """What to look at."""

    python: Annotated[
        str | None, Meta(description="The interpreter, or its environment's folder; by default the active environment.")
    ] = None
    detail: Annotated[
        Literal["short", "full"],
        Meta(description="full: every finding with its evidence, and every fact that was not seen."),
    ] = "short"
    require: Annotated[tuple[str, ...], Meta(description="Demands such as gpu>=1, torch>=2.6, driver>=570.")] = ()


class Found(Fact, frozen=True, kw_only=True):
    """A finding; `explain` has its manual page."""

    code: str
    name: str
    severity: Literal["error", "warning", "info"]
    #: Quoted.
    seen: str
    #: Codes of the findings that it follows from.
    because_of: tuple[str, ...] = ()
    #: Facts and where they were read; quoted.
    evidence: tuple[str, ...] = ()


class Checked(Fact, frozen=True, kw_only=True):
    """The judgement of this machine."""

    conclusion: Conclusion
    #: The stack, hardware first; quoted.
    facts: dict[str, str]
    findings: tuple[Found, ...] = ()
    #: What a verdict needs and was not seen; quoted.
    not_seen: tuple[str, ...] = ()
    #: So many findings and facts not seen were left out; detail=full has them.
    left_out: int = 0


async def check(asked: Look, session: Session, progress: Progress | None) -> Checked:
    """The judgement. Raises CannotAnswer."""
    arguments = ["check", "--static", "--format", "json", *python_option(asked.python, session)]
    ended = await run_own([*arguments, *(f"--require={one}" for one in asked.require)], _DEADLINE, progress)
    return checked(judged_report(report_of(ended, session)), session.quoting(), full=asked.detail == "full")


def checked(judged: Judged, quoting: Quoting, *, full: bool = False) -> Checked:
    """A judgement as the tool gives it."""
    most, unseen, lines = _FULL if full else _SHORT
    findings = judged.report.diagnosis.findings
    shown = [one for one in findings if full or not one.because_of]
    not_seen = judged.ticket.unseen
    return Checked(
        conclusion=conclusion_of(judged, quoting),
        facts={layer: quoting.text(text, 300 if full else 160) for layer, text in facts_of(judged)},
        findings=tuple(_found(one, quoting, lines) for one in shown[:most]),
        not_seen=tuple(quoting.text(one, 120) for one in not_seen[:unseen]),
        left_out=max(0, len(findings) - most) + max(0, len(not_seen) - unseen),
    )


def _found(one: Finding, quoting: Quoting, lines: int) -> Found:
    places = ((fact, f" [{fact.source.where}]" if fact.source else "") for fact in one.evidence[:lines])
    return Found(
        code=one.code,
        name=one.name,
        severity=one.severity,
        seen=quoting.text(one.summary, 200),
        because_of=one.because_of,
        evidence=tuple(quoting.text(f"{fact.fact}: {fact.value}{place}") for fact, place in places),
    )


def python_option(python: str | None, session: Session) -> list[str]:
    """The option for an interpreter that the call names. Raises CannotAnswer."""
    if python is None:
        return []
    try:
        return [f"--python={session.folders.interpreter(python)}"]
    except NotAllowed as error:
        raise CannotAnswer(f"{named(os.path.basename(python), 80)} is not examined: {error}") from None


def report_of(ended: Ended, session: Session) -> Report:
    """The report that a command of ours printed. Raises CannotAnswer."""
    return decoded(ended, Report, session)


def decoded(ended: Ended, kind: type[Decoded], session: Session) -> Decoded:
    """What a command of ours printed as JSON. Raises CannotAnswer."""
    try:
        return decode(ended.output, kind)
    except ValueError:  # msgspec's errors among them
        raise CannotAnswer(said(ended, session)) from None


def said(ended: Ended, session: Session) -> str:
    """Why a command of ours has no result."""
    if ended.code is None:
        return "It did not end in time and was stopped."
    return f"It ended with exit code {ended.code}: {session.quoting().text(ended.errors[-1500:], 400)}"


Section = Literal[
    "host", "container", "gpus", "driver", "toolkits", "libraries", "environ", "interpreter", "packages", "frameworks"
]


class WhichFacts(Takes, frozen=True, kw_only=True):
    """Which facts of this machine."""

    section: Annotated[Section | None, Meta(description="Without it: only how many bytes each section has.")] = None
    python: str | None = None


class Facts(Fact, frozen=True, kw_only=True):
    """Facts of this machine."""

    #: Bytes of each section as JSON.
    sections: dict[str, int]
    #: The section that was asked for, with every text in it quoted; null where there is none.
    facts: Any = None
    #: Why not all of it is there.
    cut: str | None = None


async def snapshot(asked: WhichFacts, session: Session, progress: Progress | None) -> Facts:
    """The facts. Raises CannotAnswer."""
    ended = await run_own(["snapshot", *python_option(asked.python, session)], _DEADLINE, progress)
    plain = msgspec.json.decode(encode(decoded(ended, Snapshot, session)))
    sizes = {name: len(msgspec.json.encode(plain.get(name))) for name in SECTIONS}
    if asked.section is None:
        return Facts(sections=sizes)
    facts = _quoted(plain.get(asked.section), session.quoting())
    if len(msgspec.json.encode(facts)) <= _SECTION:
        return Facts(sections=sizes, facts=facts)
    whole = f"The section is longer than {_SECTION:,} bytes; `gpudoctor snapshot` prints it whole."
    return Facts(sections=sizes, facts=_shortened(facts), cut=whole)


def _quoted(value: Any, quoting: Quoting) -> Any:
    """A plain value with every text, and every name that a user may have given, quoted."""
    if isinstance(value, str):
        return quoting.text(value)
    if isinstance(value, dict):
        return {_key(key, quoting): _quoted(item, quoting) for key, item in value.items()}
    return [_quoted(item, quoting) for item in value] if isinstance(value, list) else value


def _key(key: str, quoting: Quoting) -> str:
    """The name of a field; that of a variable, which anybody may have chosen, quoted."""
    return key if key.islower() and key.isidentifier() and len(key) < 30 else quoting.text(key, 80)


def _shortened(value: Any) -> Any:
    """The beginning of each list in it."""
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    return [_shortened(item) for item in value[:20]] if isinstance(value, list) else value


CHECK = Tool(
    name="check",
    title="Check this machine",
    about="Examines this machine (hardware, driver, CUDA, cuDNN, Python, framework) and says why the GPU is not used, "
    "with evidence and the commands that fix it. Nothing of the environment is run and nothing is changed. Call it "
    "before claiming anything about this machine. detail=full gives all findings.",
    takes=Look,
    gives=Checked,
    run=check,
    is_process=True,
    short=lambda found: short_of(found.conclusion),
    deadline=_DEADLINE + 15,
)
SNAPSHOT = Tool(
    name="snapshot",
    title="Facts of this machine",
    about="The facts behind a check, section by section: GPUs, driver, toolkits, libraries, environment variables, "
    "packages, frameworks. Without a section: which there are and how long they are.",
    takes=WhichFacts,
    gives=Facts,
    run=snapshot,
    is_process=True,
    deadline=_DEADLINE + 15,
)
