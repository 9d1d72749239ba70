"""A fault that was seen to do harm is as grave as the harm."""

from collections.abc import Sequence

import msgspec

from gpudoctor.diagnosis.folding import is_of_one_framework
from gpudoctor.facts.finding import SEVERITIES, Finding

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
