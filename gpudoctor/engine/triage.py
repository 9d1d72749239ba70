"""What is said of one ticket: what it holds, the causes that remain, what to ask next."""

from typing import Literal

from gpudoctor.engine.candidates import Candidate, candidates
from gpudoctor.engine.next_question import Question, next_question
from gpudoctor.knowledge import message_of
from gpudoctor.model.base import Fact
from gpudoctor.model.finding import SEVERITIES, Finding, Severity
from gpudoctor.model.live import Live
from gpudoctor.model.report import Report, Verdict
from gpudoctor.rules._declare import Rule

TRIAGE_SCHEMA = 1
#: Causes that are told; and below what weight one is not worth telling.
MOST, LEAST = 5, 0.15
#: From here on a cause makes the exit code 1.
NAMED = 0.3
#: What a finding counts that a pasted report names; and each further one, beside the one before it.
_TOLD, _NEXT = 0.85, 0.8


class Recognised(Fact, frozen=True, kw_only=True):
    """A kind of text that was recognised: nvidia-smi, from line 12 on."""

    form: str
    line: int


class Message(Fact, frozen=True, kw_only=True):
    """A known error message in the ticket, and what it means."""

    text: str
    meaning: str
    signature: str


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


class Ticket(Fact, frozen=True, kw_only=True):
    """One judged input."""

    name: str
    kind: Literal["snapshot", "report", "bundle", "text", "unreadable"]
    #: Why it could not be judged.
    error: str | None = None
    #: As `check` words it; a text is never healthy.
    verdict: Verdict | None = None
    causes: tuple[Candidate, ...] = ()
    #: The findings that no other explains, with their fixes.
    findings: tuple[Finding, ...] = ()
    messages: tuple[Message, ...] = ()
    question: Question | None = None
    contents: Contents | None = None
    unseen: tuple[str, ...] = ()

    @property
    def named(self) -> bool:
        """A cause is named."""
        return self.verdict == "findings" or bool(self.causes and self.causes[0].weight >= NAMED)

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
    around = contents.around if contents else ()
    causes = candidates(snapshot, report.diagnosis, rules, around=around, partial=partial, supposed=supposed)
    causes = with_told(causes, contents.told if contents else (), rules)
    worth = [one for one in causes if one.weight >= LEAST]
    # What only names the effect is told where nothing names a cause.
    told = tuple([one for one in worth if not one.is_effect] or worth)[:MOST]
    # What a better source settled need not be asked.
    disputed = tuple(one.fact for one in contents.disputes if one.taken is None) if contents else ()
    verdict: Verdict = report.verdict
    if partial and verdict in ("healthy", "no-gpu"):
        verdict = "incomplete"
    return Ticket(
        name=name,
        kind=kind,
        verdict=verdict,
        causes=told,
        findings=tuple(one for one in report.diagnosis.root_causes if one.severity != "info"),
        messages=_messages(snapshot.live if isinstance(snapshot.live, Live) else None),
        question=next_question(snapshot, told, disputed) if verdict not in ("healthy", "no-gpu") else None,
        contents=contents,
        unseen=report.unseen,
    )


def with_told(
    causes: tuple[Candidate, ...], told: tuple[ToldFinding, ...], rules: tuple[Rule, ...]
) -> tuple[Candidate, ...]:
    """The causes and those a report of ours had named, which saw more than its text states; in the report's order."""
    known = {(rule.code, rule.name) for rule in rules}
    grave = [one for one in told if (one.code, one.name) in known]
    grave.sort(key=lambda one: SEVERITIES.index(one.severity))
    merged = {one.key: one for one in causes}
    for place, one in enumerate(grave):
        before = merged.get(one.name)
        weight = max(_TOLD * _NEXT**place, before.weight if before else 0.0)
        words = before.words if before and before.state == "found" else one.summary or one.name
        merged[one.name] = Candidate(key=one.name, code=one.code, words=words, weight=round(weight, 4))
    return tuple(sorted(merged.values(), key=lambda one: -one.weight))


def _messages(live: Live | None) -> tuple[Message, ...]:
    """Each known message once, in the order of the text."""
    rows: dict[str, Message] = {}
    for symptom in live.symptoms if live else ():
        row = message_of(symptom.signature)
        if row is not None:
            rows.setdefault(row.id, Message(text=symptom.text, meaning=row.meaning, signature=row.id))
    return tuple(rows.values())[:MOST]
