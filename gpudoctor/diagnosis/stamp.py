"""A rule's problem as a finding: who says it, how grave it is, what follows from it and what its messages name."""

from gpudoctor.facts.finding import Finding, Problem
from gpudoctor.facts.live import Symptom
from gpudoctor.knowledge.causes import causes_of, causes_without_rule, what_follows_from
from gpudoctor.knowledge.message import message_of
from gpudoctor.rules.declare import Rule

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
