"""Which findings follow from others: a finding that another one explains is folded under it."""

from collections.abc import Sequence

import msgspec

from gpudoctor.facts.finding import SEVERITIES, Finding
from gpudoctor.knowledge.frameworks import names_and_packages


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
