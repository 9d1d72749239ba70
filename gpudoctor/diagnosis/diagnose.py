"""diagnose(snapshot, matrix, rules): runs every rule whose facts were seen, and says which findings are root causes."""

from collections.abc import Iterable, Sequence

import msgspec

from gpudoctor.diagnosis.at_system import fixed_at_system, without_other_circumstances
from gpudoctor.diagnosis.missing_facts import FACT_WORDS, lacking
from gpudoctor.diagnosis.occasion import has_occasion
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.base import Gap
from gpudoctor.facts.finding import SEVERITIES, Crash, Diagnosis, Finding, Problem, Skipped
from gpudoctor.facts.live import Symptom
from gpudoctor.facts.scene import scene_of
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.wish import Wish
from gpudoctor.inference.infer import infer
from gpudoctor.knowledge.causes import all_causes, causes_of, causes_without_rule, what_follows_from
from gpudoctor.knowledge.frameworks import names_and_packages
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.message import message_of
from gpudoctor.rules.declare import Rule
from gpudoctor.rules.failures import pasted


def folded(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings with `because_of` filled in."""
    causes = [[number for number, cause in enumerate(findings) if _is_cause(cause, finding)] for finding in findings]
    return tuple(
        _with_causes(finding, tuple(sorted({findings[root].code for root in _roots(number, causes)})))
        for number, finding in enumerate(findings)
    )


def _is_cause(cause: Finding, finding: Finding) -> bool:
    """A finding explains what it leads to, and what has a message that names it, within one framework.

    A note never explains a fault away; what failed when it was run has a cause as grave, or that its message names.
    """
    if cause.code == finding.code or not (finding.name in cause.explains or cause.name in finding.follows_from):
        return False
    if cause.told:
        return cause.severity != "info" or finding.severity == "info"
    is_as_grave = SEVERITIES.index(cause.severity) <= SEVERITIES.index(finding.severity)
    is_enough = is_as_grave or (cause.severity != "info" and not finding.code.startswith("SMK"))
    return is_enough and is_of_one_framework(cause, finding)


def is_of_one_framework(cause: Finding, finding: Finding) -> bool:
    """What is wrong with one framework is not why another one fails."""
    one, other = _framework(cause), _framework(finding)
    return one is None or other is None or one == other


def _framework(finding: Finding) -> str | None:
    words = (finding.subject or "").split()
    return names_and_packages().get(words[0].lower()) if words else None


def _roots(finding: int, causes: list[list[int]]) -> set[int]:
    """The findings at the far end of the chain of causes; empty for a root, and for a circle of causes."""
    found: set[int] = set()
    seen = {finding}
    queue = list(causes[finding])
    while queue:
        cause = queue.pop()
        if cause in seen:
            continue
        seen.add(cause)
        if causes[cause]:
            queue += causes[cause]
        else:
            found.add(cause)
    return found


def _with_causes(finding: Finding, causes: tuple[str, ...]) -> Finding:
    return msgspec.structs.replace(finding, because_of=causes) if causes else finding


def diagnose(snapshot: Snapshot, matrix: Matrix, rules: Iterable[Rule], wish: Wish | None = None) -> Diagnosis:
    """The diagnosis of a snapshot: the same for the same arguments, on any machine, at any time."""
    wish = wish or Wish()
    rules = tuple(rules)
    snapshot = infer(snapshot, matrix)
    findings: list[Pointing] = []
    clean: list[str] = []
    not_applicable: list[str] = []
    skipped: list[Skipped] = []
    crashed: list[Crash] = []
    always_there = {"matrix": matrix, "wish": wish, "scene": scene_of(snapshot)}
    systems = SnapshotView(snapshot).systems
    for rule in rules:
        arguments = _arguments(rule, snapshot, always_there)
        if arguments is None:
            not_applicable.append(rule.code)
        elif isinstance(arguments, Gap):
            skipped.append(Skipped(code=rule.code, gap=arguments))
        elif not (_is_of(rule, systems) and has_occasion(rule, snapshot, wish)):
            clean.append(rule.code)
        else:
            try:
                problems = list(rule.check(**arguments))
            except Exception:  # noqa: BLE001 - a rule's bug must not take the other rules' verdicts with it
                # Imported here: it should never be needed.
                import traceback

                crashed.append(Crash(code=rule.code, traceback=traceback.format_exc()))
                continue
            findings += [(stamped(rule, problem), likely_causes(problem.symptoms)) for problem in problems]
            if not problems:
                clean.append(rule.code)
    return Diagnosis(
        findings=_at_home(_ordered(as_grave_as_shown(findings), snapshot, rules), snapshot),
        clean=tuple(clean),
        not_applicable=tuple(not_applicable),
        skipped=tuple(skipped),
        crashed=tuple(crashed),
    )


def _at_home(findings: tuple[Finding, ...], snapshot: Snapshot) -> tuple[Finding, ...]:
    """With fixes as they are done on this machine."""
    return without_other_circumstances(fixed_at_system(findings, snapshot), snapshot)


def _ordered(findings: list[Finding], snapshot: Snapshot, rules: tuple[Rule, ...]) -> tuple[Finding, ...]:
    """Root causes in the order of `rank`, then what follows; with the causes that only a pasted message names."""
    found = folded(findings)
    is_pasted = bool(pasted(snapshot.live))
    if len(found) < 2 and not is_pasted:
        return found
    # Imported here: on most machines there is nothing to put in order.
    from gpudoctor.diagnosis.ranking import in_rank_order, rank

    if not is_pasted:
        return in_rank_order(found, rank(snapshot, found, rules))
    causes = rank(snapshot, found, rules)
    # Imported here: a look that runs nothing needs no catalogue of messages.
    from gpudoctor.diagnosis.message_causes import named_by_messages

    named = named_by_messages(found, causes, rules, SnapshotView(snapshot).os)
    found = folded([*findings, *named]) if named else found
    return in_rank_order(found, rank(snapshot, found, rules))


def _arguments(rule: Rule, snapshot: Snapshot, given: dict[str, object]) -> dict[str, object] | Gap | None:
    """What the rule asked for; None when a section it needs is absent (absent beats unseen), the Gap when unseen."""
    arguments: dict[str, object] = {}
    gap: Gap | None = None
    for want in rule.wants:
        value = given[want.field] if want.field in given else getattr(snapshot, want.field)
        if value is None and not want.admits_absent:
            return None
        if isinstance(value, Gap) and not want.admits_gap:
            gap = gap or value
        arguments[want.parameter] = value
    if gap is None and (lacks := lacking(rule.needs, snapshot)):
        return Gap(reason=f"{' and '.join(FACT_WORDS[name] for name in lacks)} could not be seen")
    return gap or arguments


def _is_of(rule: Rule, systems: frozenset[str]) -> bool:
    """Whether the rule's cause can be on one of these systems; on any where none is known."""
    record = all_causes().get(rule.name)
    return not systems or record is None or not record.systems or bool(systems.intersection(record.systems))


#: A finding, and the names of the rules that the messages in it point to.
Pointing = tuple[Finding, tuple[str, ...]]


def as_grave_as_shown(findings: Sequence[Pointing]) -> list[Finding]:
    """The findings; one that a message of another points to has its gravity, where that is the greater one.

    A missing compiler is a note until something was to be compiled and failed for want of it.
    """
    shown = [(finding, names) for finding, names in findings if names]
    return [_raised(finding, shown) for finding, _ in findings]


def _raised(finding: Finding, shown: Sequence[Pointing]) -> Finding:
    harms = (harm for harm, names in shown if finding.name in names and is_of_one_framework(finding, harm))
    gravest = min((finding.severity, *(harm.severity for harm in harms)), key=SEVERITIES.index)
    return finding if gravest == finding.severity else msgspec.structs.replace(finding, severity=gravest)


#: A message points to the causes that are at least so likely.
_LIKELY = 0.3


def stamped(rule: Rule, problem: Problem) -> Finding:
    """The finding of a rule."""
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=problem.severity or rule.severity,
        summary=problem.summary,
        subject=problem.subject,
        confidence=problem.confidence,
        evidence=problem.evidence,
        explains=what_follows_from(rule.name, problem.not_leading_to),
        follows_from=_causes_named_by(problem.symptoms),
        fixes=problem.fixes,
    )


def likely_causes(symptoms: tuple[Symptom, ...]) -> tuple[str, ...]:
    """The likely causes that rules find, wherever this is: that such a rule fires shows its surroundings."""
    rows = (row for symptom in symptoms if (row := message_of(symptom.signature)))
    causes = (cause for row in rows for cause in row.causes if cause.prior >= _LIKELY)
    return tuple(dict.fromkeys(cause.key for cause in causes if cause.key not in causes_without_rule()))


def _causes_named_by(symptoms: tuple[Symptom, ...]) -> tuple[str, ...]:
    """Names of the rules that the messages point to, likeliest first."""
    return tuple(cause.key for cause in causes_of(symptoms) if cause.key not in causes_without_rule())
