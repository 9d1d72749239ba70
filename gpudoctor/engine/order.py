"""Root causes first. A finding that another one explains is folded under it."""

import msgspec

from gpudoctor.model.finding import SEVERITIES, Confidence, Finding

#: The stack, bottom to top, by the family letters of a code.
LAYERS: dict[str, int] = {
    family: level
    for level, families in enumerate(
        (("GPU",), ("BOX", "HST"), ("DRV",), ("ENV",), ("TLK",), ("LIB",), ("PYT",), ("FRM",), ("SMK", "PRF", "FLT"))
    )
    for family in families
}

_CONFIDENCES: tuple[Confidence, ...] = ("certain", "likely", "possible")


def in_causal_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Findings with `because_of` filled in: root causes first (gravest, surest, lowest layer), then what follows."""
    explained = {
        finding.code: tuple(sorted({cause.code for cause in findings if _explains(cause, finding)}))
        for finding in findings
    }
    roots = {code: _roots(code, explained) for code in explained}
    stamped = [_with_causes(finding, roots[finding.code]) for finding in findings]
    return tuple(sorted(stamped, key=_rank))


def _explains(cause: Finding, finding: Finding) -> bool:
    """A cause explains findings of its own gravity or less: a note never explains an error away."""
    grave_enough = SEVERITIES.index(cause.severity) <= SEVERITIES.index(finding.severity)
    return cause.code != finding.code and finding.name in cause.explains and grave_enough


def _roots(code: str, explained: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The codes at the far end of the chain of causes; empty for a root, and for a circle of causes."""
    found: set[str] = set()
    seen: set[str] = {code}
    queue = list(explained[code])
    while queue:
        cause = queue.pop()
        if cause in seen:
            continue
        seen.add(cause)
        further = explained[cause]
        if further:
            queue += further
        else:
            found.add(cause)
    return tuple(sorted(found))


def _with_causes(finding: Finding, causes: tuple[str, ...]) -> Finding:
    return msgspec.structs.replace(finding, because_of=causes) if causes else finding


def _rank(finding: Finding) -> tuple[bool, int, int, int, str, str]:
    return (
        bool(finding.because_of),
        SEVERITIES.index(finding.severity),
        _CONFIDENCES.index(finding.confidence),
        LAYERS.get(finding.code[:3], len(LAYERS)),
        finding.code,
        finding.subject or "",
    )
