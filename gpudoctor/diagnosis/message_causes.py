"""Findings for pasted failures whose cause no fact shows.

"Could not locate zlibwapi.dll" says what is missing, whether or not anyone listed the files. Where a cause
of such a message outranks the failure, it is found in its place, and the failure is folded under it.
"""

from collections.abc import Iterable, Iterator

from gpudoctor.diagnosis.manual_advice import fix_of
from gpudoctor.diagnosis.ranking import Candidate
from gpudoctor.facts.finding import SEVERITIES, Finding, Severity
from gpudoctor.knowledge.causes import all_causes, what_follows_from
from gpudoctor.rules.declare import Rule


def named_by_messages(
    findings: Iterable[Finding], causes: Iterable[Candidate], rules: Iterable[Rule], system: str | None = None
) -> tuple[Finding, ...]:
    """The causes of pasted failures that no finding explains, each once; `causes` likeliest first.

    `system` is that of the reader, for whom the fix is written.
    """
    by_name = {rule.name: rule for rule in rules}
    findings, causes = tuple(findings), tuple(causes)
    named: dict[str, Finding] = {}
    for effect in findings:
        if effect.code.startswith("SMK") and not effect.because_of:
            for cause, rule in _cause_of(effect, causes, by_name):
                named.setdefault(rule.name, _finding(rule, cause, effect, system))
    present = {one.name for one in findings}
    return tuple(finding for name, finding in named.items() if name not in present)


def _cause_of(
    effect: Finding, causes: tuple[Candidate, ...], rules: dict[str, Rule]
) -> Iterator[tuple[Candidate, Rule]]:
    """The first cause that an effect points to, where it outranks the effect and is a rule's."""
    keys = [one.key for one in causes]
    outranking = causes[: keys.index(effect.name)] if effect.name in keys else causes
    first = next(
        (one for one in outranking if one.key in effect.follows_from or effect.name in what_follows_from(one.key)), None
    )
    if first is not None and first.key in rules:
        yield first, rules[first.key]


def _finding(rule: Rule, cause: Candidate, effect: Finding, system: str | None) -> Finding:
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=_severity(rule, effect),
        summary=rule.summary,
        subject=effect.subject,
        confidence="likely" if cause.confidence == "certain" else cause.confidence,
        told=True,
        evidence=effect.evidence,
        explains=tuple(dict.fromkeys((effect.name, *what_follows_from(rule.name)))),
        fixes=(fix_of(rule, system), *effect.fixes[-1:]),
    )


def _severity(rule: Rule, effect: Finding) -> Severity:
    """No graver than what was met; what is a note until it does harm did it, and what never does harm stays one."""
    record = all_causes().get(rule.name)
    if record is not None and record.harmless:
        return rule.severity
    return effect.severity if rule.severity == "info" else max(rule.severity, effect.severity, key=SEVERITIES.index)
