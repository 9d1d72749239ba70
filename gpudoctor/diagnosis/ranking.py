"""rank(): ranks the remaining causes, likeliest first, for check, triage, explain and Python.

Evidence for a cause is a finding of its rule, or a message that programs print because of it. Each piece leaves a
doubt; the doubts multiply. What a fact refutes is no candidate; what nobody looked at takes nothing away.
"""

from collections.abc import Iterable
from typing import Literal

from gpudoctor.diagnosis.another_maker import needs_nvidia
from gpudoctor.diagnosis.missing_facts import lacking
from gpudoctor.diagnosis.refutations import is_beside_the_point, is_denied, is_far_fetched, refutation, support
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.diagnosis.surroundings import surroundings_of
from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import SEVERITIES, Finding
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.causes import all_causes, causes_of, causes_without_rule, words_of_cause
from gpudoctor.knowledge.message import message_of
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.knowledge.statements import pointed_to
from gpudoctor.rules.declare import Rule

#: The stack, bottom to top, by the family letters of a code.
LAYERS: dict[str, int] = {
    family: level
    for level, families in enumerate(
        (("GPU",), ("BOX", "HST"), ("DRV",), ("ENV",), ("TLK",), ("LIB",), ("PYT",), ("FRM",), ("SMK", "PRF", "FLT"))
    )
    for family in families
}
#: What a finding proves, by its severity and confidence.
_SHOWN = {
    "error": {"certain": 0.97, "likely": 0.85, "possible": 0.62},
    "warning": {"certain": 0.6, "likely": 0.5, "possible": 0.35},
    "info": {"certain": 0.12, "likely": 0.11, "possible": 0.1},
}
#: What follows from another finding, and what a rule finds only under an assumption, proves less.
_FOLLOWS, _ASSUMED = 0.5, 0.7
#: What a stated fact adds to a cause that a message names.
_SUPPORTED = 0.7
#: Rules that say what happens, not why.
EFFECTS = frozenset({"cuda-init-failed", "driver-not-answering", "gpu-unreadable", "no-framework", "gpu-required"})
#: What these prove where they happened here, and where somebody reports them.
_EFFECT_SEEN, _EFFECT_REPORTED = 0.61, 0.35
#: What a cause that asks for nothing counts at most beside one that does.
_GRAVE, _HARMLESS = 0.3, 0.1
#: Below this a cause is no candidate; and below this it is not worth showing, nor are more than so many.
_LEAST, _WORTH, MOST = 0.02, 0.15, 5
#: A cause is named beside the first one where it counts at least this part of what that one does: the less sure that
#: is, the more of the others are worth a look.
_BESIDE = {"certain": 0.6, "likely": 0.6, "possible": 0.4}
#: Causes shown that a fact excludes.
MOST_RULED_OUT = 2
#: From here on a cause is likely; and from here on it is not one among several any more.
LIKELY, SETTLED = 0.7, 0.9
_USUAL = 0.6
#: What is found counts so much at most where the surroundings that a text names leave the cause open.
_OPEN = 0.59
#: What a cause counts at most that needs something which nobody states: it is not worth showing.
_FAR = 0.12
#: What a reporter's own words make of the cause that they point to.
_SAID = 0.75
#: CUDA_ERROR_SYSTEM_NOT_READY (cuda.h).
_OF_SERVICES = frozenset({802})


class Candidate(Fact, frozen=True, kw_only=True):
    """A cause that may be behind what was seen."""

    #: The name of a rule, or the id of a cause that no rule finds.
    key: str
    #: The rule's code; None where no rule finds it.
    code: str | None = None
    #: In one sentence.
    words: str
    #: Between 0 and 1.
    weight: float
    #: found: the facts show it. open: messages or facts point to it.
    state: Literal["found", "open"] = "open"
    #: The stated fact that makes an open cause likely, as the end of a sentence.
    because: str | None = None
    #: Of an open cause: the sections, and the single facts (driver.libraries), that its rule waits for. Without any,
    #: its rule ran and does not show it.
    missing: tuple[str, ...] = ()

    @property
    def is_effect(self) -> bool:
        """It names what happens, not why."""
        return is_effect(self.key, self.code)

    @property
    def confidence(self) -> Literal["certain", "likely", "possible"]:
        """The weight in words."""
        if self.state == "found" and self.weight >= SETTLED:
            return "certain"
        return "likely" if self.weight >= LIKELY else "possible"


class RuledOut(Fact, frozen=True, kw_only=True):
    """A cause that a message points to and a fact excludes."""

    key: str
    words: str
    #: The fact, as the end of a sentence.
    because: str


def is_effect(name: str, code: str | None) -> bool:
    """The finding names what happens, not why."""
    return name in EFFECTS or (code or "").startswith("SMK")


def rank(
    snapshot: Snapshot,
    findings: Iterable[Finding],
    rules: Iterable[Rule],
    *,
    around: Iterable[str] = (),
    assumed: Iterable[Finding] = (),
) -> tuple[Candidate, ...]:
    """The causes, likeliest first.

    `around` are surroundings that a text names; `assumed` are findings that hold if what nobody states is as usual.
    """
    told = frozenset(around)
    around = {*told, *surroundings_of(snapshot)}
    seen = SnapshotView(snapshot, around)
    shown = {one.name: one for one in reversed(tuple(findings)) if not one.told}
    weights = _of_messages(snapshot, around)
    for finding in (*shown.values(), *(one for one in assumed if one.name not in shown and not one.told)):
        record = all_causes().get(finding.name)
        is_open = record is not None and bool(told.intersection(record.open_in))
        proof = _proof_of(finding) * (1.0 if finding.name in shown else _ASSUMED)
        weight = _either(weights.get(finding.name, 0.0), proof)
        weights[finding.name] = min(weight, _OPEN) if is_open else weight
    by_name = {rule.name: rule for rule in rules}
    left = {
        name: weight for name, weight in weights.items() if not _is_out(name, shown.get(name), by_name.get(name), seen)
    }
    usual = {name for name, weight in weights.items() if weight >= _USUAL and name not in shown}
    if not any(weight >= _USUAL for weight in left.values()):
        instead = needs_nvidia(usual, seen, {name for name in usual if _is_of_containers(name, by_name.get(name))})
        left |= {instead: _SAID} if instead else {}
    weights = left
    facts = {name: fact for name in weights if name not in shown and (fact := support(name, seen))}
    weights |= {name: _either(weights[name], _SUPPORTED) for name in facts}
    weights |= {name: min(weight, _FAR) for name, weight in weights.items() if is_far_fetched(name, seen)}
    # Of those that a rule finds, a message that names them is about them.
    harmless = {
        name for name in weights if name not in shown and (one := causes_without_rule().get(name)) and one.harmless
    }
    if any(weight >= _GRAVE for name, weight in weights.items() if name not in harmless):
        weights |= {name: min(weights[name], _HARMLESS) for name in harmless}
    summaries = {name: rule.summary for name, rule in by_name.items()}
    summaries |= {one.name: one.summary for one in (*assumed, *shown.values())}
    rows = [
        Candidate(
            key=name,
            code=by_name[name].code if name in by_name else None,
            words=words_of_cause(name, summaries),
            weight=round(weight, 4),
            state="found" if name in shown else "open",
            because=facts.get(name),
            missing=_missing(by_name[name], snapshot) if name in by_name and name not in shown else (),
        )
        for name, weight in weights.items()
        if weight >= _LEAST
    ]
    mentioned = {name: place for place, name in enumerate(weights)}
    return tuple(sorted(rows, key=lambda one: _order(one, mentioned[one.key])))


def _is_out(name: str, finding: Finding | None, rule: Rule | None, seen: SnapshotView) -> bool:
    """Facts refute it. What a rule found stands, but for notes, and what is only possible and denied."""
    if finding is None:
        return bool(is_beside_the_point(name, seen) or refutation(name, seen))
    if rule is not None and rule.severity == "info":
        return refutation(name, seen) is not None
    return finding.confidence == "possible" and is_denied(name, seen)


def _is_of_containers(name: str, rule: Rule | None) -> bool:
    record = all_causes().get(name)
    return LAYERS.get(rule.code[:3]) == LAYERS["BOX"] if rule else record is not None and record.layer == "container"


def _missing(rule: Rule, snapshot: Snapshot) -> tuple[str, ...]:
    """The sections that the rule needs and nobody could look at, and the single facts that it needs of the others."""
    sections = (want.field for want in rule.wants if not want.admits_gap)
    unseen = (name for name in sections if isinstance(getattr(snapshot, name, None), Gap))
    return (*unseen, *lacking(rule.needs, snapshot))


def ruled_out(snapshot: Snapshot, around: Iterable[str], rules: Iterable[Rule]) -> tuple[RuledOut, ...]:
    """The usual causes of the messages that a fact rules out, likeliest first."""
    around = {*around, *surroundings_of(snapshot)}
    seen = SnapshotView(snapshot, around)
    summaries = {rule.name: rule.summary for rule in rules}
    weights = _of_messages(snapshot, around)
    facts = {name: refutation(name, seen) for name, weight in weights.items() if weight >= _USUAL}
    # One fact that rules out several is told once, of the likeliest.
    first = {fact: name for name, fact in reversed(facts.items()) if fact is not None}
    return tuple(
        RuledOut(key=name, words=words_of_cause(name, summaries), because=fact)
        for name, fact in facts.items()
        if fact is not None and first[fact] == name
    )


def shown_causes(causes: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The causes worth showing; notes where nothing else is."""
    causes = tuple(causes)
    worth = [one for one in causes if one.weight >= _WORTH]
    notes = [one for one in causes if one.state == "found"]
    # Beside a cause an effect says nothing new; among notes it leads as in a check.
    if not worth:
        return tuple(one for place, one in enumerate(notes) if not place or not one.is_effect)[:MOST]
    causes = tuple(one for one in worth if not one.is_effect) or tuple(worth[:1])
    # What only may be is no news beside what is shown.
    if causes[0].state == "found" and causes[0].confidence == "certain":
        causes = tuple(one for one in causes if one.state == "found" or one.confidence != "possible")
    return causes[:MOST]


def is_worth_naming(cause: Candidate, first: Candidate) -> bool:
    """It is about as likely as the first one; `--verbose` lists the others."""
    return cause.weight >= _BESIDE[first.confidence] * first.weight


def _of_messages(snapshot: Snapshot, around: set[str]) -> dict[str, float]:
    symptoms = snapshot.live.symptoms if isinstance(snapshot.live, Live) else ()
    symptoms = (*symptoms, *_answered(snapshot))
    weights = {cause.key: cause.prior for cause in causes_of(symptoms, around)}
    met = {row.reported_by for one in symptoms if (row := message_of(one.signature))}
    seen = SnapshotView(snapshot, around)
    for name in pointed_to(around, met, lambda cause: refutation(cause, seen) is None):
        weights[name] = max(weights.get(name, 0.0), _SAID)
    return weights


def _answered(snapshot: Snapshot) -> tuple[Symptom, ...]:
    """The CUDA driver's own answer, where it is an error that waits for another service: as a program prints it."""
    answer = snapshot.driver.cuda_init if isinstance(snapshot.driver, Driver) else None
    code = answer.code if answer is not None else None
    return recognise(f"CUDA error {code}") if code in _OF_SERVICES else ()


def _proof_of(finding: Finding) -> float:
    """What a finding proves of its cause, between 0 and 1."""
    sure = _SHOWN[finding.severity][finding.confidence]
    if is_effect(finding.name, finding.code):
        sure = min(_EFFECT_SEEN if finding.confidence == "certain" else _EFFECT_REPORTED, sure)
    return sure * _FOLLOWS if finding.because_of else sure


def _either(one: float, other: float) -> float:
    return 1.0 - (1.0 - one) * (1.0 - other)


def _order(one: Candidate, mentioned: int) -> tuple[float, bool, int, str, int, str]:
    """Likeliest first; of equally likely ones what was found from the bottom of the stack up, then the usual one."""
    found = one.state == "found"
    code = (one.code or "") if found else ""
    return (-one.weight, not found, LAYERS.get(code[:3], len(LAYERS)), code, mentioned, one.key)


def in_rank_order(findings: Iterable[Finding], causes: Iterable[Candidate]) -> tuple[Finding, ...]:
    """The findings, root causes first, in the order of their causes; then what follows from them."""
    places = {one.key: place for place, one in enumerate(causes)}

    def order(finding: Finding) -> tuple[bool, int, int, str, str]:
        severity = SEVERITIES.index(finding.severity)
        place = places.get(finding.name, len(places))
        return (bool(finding.because_of), place, severity, finding.code, finding.subject or "")

    return tuple(sorted(findings, key=order))
