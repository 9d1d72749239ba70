"""The result of triaging one ticket: facts read, remaining causes, next question."""

from typing import Literal

import msgspec

from gpudoctor.diagnosis.next_question import Asked, Question, next_question
from gpudoctor.diagnosis.ranking import MOST, MOST_RULED_OUT, Candidate, RuledOut, rank, ruled_out, shown_causes
from gpudoctor.diagnosis.remedies import Remedy, remedies
from gpudoctor.diagnosis.similar import Similar, similar
from gpudoctor.diagnosis.surroundings import system_of
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Finding, Severity
from gpudoctor.facts.live import Live
from gpudoctor.facts.report import Report, Verdict
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.message import message_of
from gpudoctor.rules.declare import Rule

TRIAGE_SCHEMA = 1
#: From here on a cause makes the exit code 1.
NAMED = 0.3


class Recognised(Fact, frozen=True, kw_only=True):
    """A kind of text that was recognised: nvidia-smi, from line 12 on."""

    form: str
    line: int


class FactRead(Fact, frozen=True, kw_only=True):
    """A fact as it was read out of a text, and the line it stands in."""

    text: str
    line: int | None = None


class Message(Fact, frozen=True, kw_only=True):
    """A known error message in the ticket, and what it means."""

    text: str
    meaning: str
    signature: str
    #: Where it stands in the text; None where the text says it in other words.
    line: int | None = None


class UnknownError(Fact, frozen=True, kw_only=True):
    """The strongest error line of a text that no known message explains."""

    text: str
    line: int
    #: The id of the program that printed it, in `gpudoctor.knowledge`; None where nothing names one.
    program: str | None = None
    #: False: the reporter's own words.
    printed: bool = True
    #: It ended the program and is of no GPU, and the known messages are of no failure: the text is about this line.
    is_subject: bool = False


class Dispute(Fact, frozen=True, kw_only=True):
    """A fact that the ticket states differently in two places. `taken` None: neither is believed."""

    fact: str
    values: tuple[tuple[str, str], ...]
    taken: str | None = None


class ToldFinding(Fact, frozen=True, kw_only=True):
    """A finding that a pasted report of ours names."""

    code: str
    name: str
    severity: Severity
    summary: str


class Contents(Fact, frozen=True, kw_only=True):
    """What a text was found to hold."""

    recognised: tuple[Recognised, ...] = ()
    #: What was read, for a person who checks it at a glance.
    facts: tuple[FactRead, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    encoding: str | None = None
    #: Lines that say anything, and how many of them were used.
    lines: int = 0
    used: int = 0
    #: Why not all of it was read.
    cut: str | None = None
    #: Surroundings that its words name: wsl, container.
    around: tuple[str, ...] = ()
    told: tuple[ToldFinding, ...] = ()
    #: Commands whose output it holds, as far as it shows them.
    given: tuple[str, ...] = ()
    #: Lines of known messages: (line, text).
    quoted: tuple[tuple[int, str], ...] = ()
    #: Its first line: a title, mostly.
    begins: str = ""
    error: UnknownError | None = None
    #: The id of the program that it is about, in `gpudoctor.knowledge`, as far as it names one.
    program: str | None = None
    #: All that it is about, that one first.
    programs: tuple[str, ...] = ()


class Ticket(Fact, frozen=True, kw_only=True):
    """One judged input."""

    name: str
    kind: Literal["snapshot", "report", "bundle", "text", "unreadable"]
    #: Why it could not be judged.
    error: str | None = None
    #: As `check` words it; a text is never healthy.
    verdict: Verdict | None = None
    causes: tuple[Candidate, ...] = ()
    #: What its messages usually mean, and a stated fact excludes.
    ruled_out: tuple[RuledOut, ...] = ()
    #: The findings that no other explains, with their fixes.
    findings: tuple[Finding, ...] = ()
    messages: tuple[Message, ...] = ()
    #: What to do about each cause.
    remedies: tuple[Remedy, ...] = ()
    #: linux, wsl, windows or macos, as far as it is stated.
    system: str | None = None
    question: Question | None = None
    #: Resolved threads like it, where no cause is likely.
    similar: tuple[Similar, ...] = ()
    contents: Contents | None = None
    unseen: tuple[str, ...] = ()

    @property
    def named(self) -> bool:
        """A cause is named."""
        return self.verdict == "findings" or bool(self.causes and self.causes[0].weight >= NAMED)

    @property
    def states_failure(self) -> bool:
        """It says that something fails, in a program's words or the reporter's."""
        return bool(self.messages) or bool(self.contents and self.contents.error)

    @property
    def exit_code(self) -> int:
        """1: a cause is named. 3: it could not be judged, or shows too little for a verdict. 0: healthy."""
        if self.named:
            return 1
        return 0 if self.verdict in ("healthy", "no-gpu") else 3


def ticket_of(
    name: str,
    kind: Literal["snapshot", "report", "bundle", "text"],
    report: Report,
    rules: tuple[Rule, ...],
    contents: Contents | None = None,
    supposed: tuple[Finding, ...] = (),
) -> Ticket:
    """The ticket of a judged snapshot; `contents` where it was made of a text, `supposed` as `candidates` takes it."""
    snapshot = report.snapshot
    partial = kind == "text"
    around = _around(contents)
    findings = (*_reported(contents, rules), *report.diagnosis.findings)
    ranked = rank(snapshot, findings, rules, around=around, assumed=supposed)
    is_beside = contents is not None and contents.error is not None and contents.error.is_subject
    shown = shown_causes(_beside_the_subject(ranked) if is_beside else ranked)
    system = system_of(snapshot, around)
    # What a better source settled need not be asked.
    disputed = tuple(one.fact for one in contents.disputes if one.taken is None) if contents else ()
    verdict: Verdict = report.verdict
    if partial and verdict in ("healthy", "no-gpu"):
        verdict = "incomplete"
    decided = verdict in ("healthy", "no-gpu")
    return Ticket(
        name=name,
        kind=kind,
        verdict=verdict,
        causes=shown,
        ruled_out=excluded(shown, snapshot, around, rules)[:MOST_RULED_OUT],
        findings=tuple(one for one in report.diagnosis.root_causes if one.severity != "info"),
        messages=_messages(snapshot.live if isinstance(snapshot.live, Live) else None, contents),
        remedies=remedies(shown, (*report.diagnosis.findings, *supposed), rules, system, snapshot, around),
        system=system,
        question=None if decided else next_question(snapshot, shown, disputed, _known(system, contents, shown)),
        similar=() if decided else similar(snapshot, shown, rules, around, system, _texts(contents)),
        contents=contents,
        unseen=report.unseen,
    )


def _beside_the_subject(causes: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """What the facts show, where the text is about an error that no message explains."""
    return tuple(one for one in causes if one.state == "found" and not one.is_effect)


def _around(contents: Contents | None) -> tuple[str, ...]:
    """What the text names; and where it shows both answers of a framework, that two Pythons gave them."""
    if contents is None:
        return ()
    is_both = any(one.fact.endswith(".gpu_available") for one in contents.disputes)
    return (*contents.around, "gpu-seen-and-not") if is_both else contents.around


def _texts(contents: Contents | None) -> tuple[str, ...]:
    """What a text is compared by, beside its messages."""
    error = contents.error if contents else None
    return (contents.begins, *((error.text,) if error else ())) if contents else ()


def excluded(
    shown: tuple[Candidate, ...], snapshot: Snapshot, around: tuple[str, ...], rules: tuple[Rule, ...]
) -> tuple[RuledOut, ...]:
    """The usual causes of the messages that a fact rules out, and that nothing else shows."""
    names = {one.key for one in shown}
    return tuple(one for one in ruled_out(snapshot, around, rules) if one.key not in names)


def _reported(contents: Contents | None, rules: tuple[Rule, ...]) -> tuple[Finding, ...]:
    """The findings that a pasted report of ours names: it saw more than its text states."""
    known = {(rule.code, rule.name) for rule in rules}
    return tuple(
        Finding(
            code=one.code,
            name=one.name,
            severity=one.severity,
            summary=one.summary or one.name,
            confidence="likely",
        )
        for one in (contents.told if contents else ())
        if (one.code, one.name) in known
    )


def _known(system: str | None, contents: Contents | None, causes: tuple[Candidate, ...]) -> Asked:
    """What the next question goes by, beside the facts."""
    if contents is None:
        return Asked(system=system)
    asked = Asked(system=system, given=contents.given, around=contents.around)
    if causes and causes[0].weight >= NAMED and not causes[0].is_effect:
        return asked
    error = contents.error
    return msgspec.structs.replace(
        asked,
        is_open=True,
        program=error.program if error else None,
        line=error.text if error and error.printed else None,
        about=contents.programs,
    )


def _messages(live: Live | None, contents: Contents | None) -> tuple[Message, ...]:
    """Each known message once, in the order of the text."""
    lines = {text: line for line, text in contents.quoted} if contents else {}
    rows: dict[str, Message] = {}
    for symptom in live.symptoms if live else ():
        row = message_of(symptom.signature)
        if row is not None:
            line = lines.get(symptom.text)
            rows.setdefault(row.id, Message(text=symptom.text, meaning=row.meaning, signature=row.id, line=line))
    return tuple(rows.values())[:MOST]
