"""pip's and uv's "no matching distribution" errors: what was asked for, and what was on offer."""

from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.sources.package_names import normalise

_ASKED = re.compile(
    r"(?:satisf(?:ies|y) the requirement|no matching distribution found for|distribution"
    r"|because(?!\s+`?[\w.-]+\s+(?:a|an|an?other|the|this|that|your|my|its?|there|they|we|you|i)\b)"
    r"(?!\s+(?:of|your|my|the|it|its|this|that|there|they|we|you|i|an?)\b))\s+`?([A-Za-z][\w.-]*)"
    r"(?:\[[\w,-]*\])?"
    r"\s*((?:(?:===?|>=|<=|!=|~=|<|>)\s*[\w.+*]+\s*,?\s*)*)",
    re.IGNORECASE,
)
#: uv, of a release that a lock file holds; poetry.
_LOCKED = re.compile(
    r"`([A-Za-z][\w.-]*)` \(v(\d+(?:\.\d+)*)[^)]*\) only has wheels"
    r"|unable to find installation candidates for ([A-Za-z][\w.-]*) \((\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_BOUND = re.compile(r"(===?|>=|<=|!=|~=|<|>)\s*v?(\d+(?:\.\d+)*)")
_OFFERED = re.compile(r"\(\s*from versions:?\s*([^)\n]*)", re.IGNORECASE)

#: The installer refused or failed: what was asked for is not there.
REFUSED = re.compile(
    r"no matching distribution|could not find a version|packagesnotfound|unsatisfiable|solving environment: failed"
    r"|no solution found|could not solve|resolutionimpossible|not a supported wheel|failed building wheel"
    r"|failed to build|metadata-generation-failed|subprocess-exited-with-error|externally-managed-environment",
    re.IGNORECASE,
)


class NoMatch(NamedTuple):
    """A package that was asked for in vain. Local parts of versions (+cu118) are left out."""

    package: str
    #: As in Requirement: (("==", "1.8.1"),).
    comparisons: tuple[tuple[str, str], ...]
    #: Some of the versions that would fit this Python and system; empty: there are none. None: not told.
    offered: tuple[str, ...] | None


def parse_no_match(line: str) -> NoMatch | None:
    """What a line of pip says; None where it is about something else."""
    if locked := _LOCKED.search(line):
        name, version = locked[1] or locked[3], locked[2] or locked[4]
        return NoMatch(package=normalise(name), comparisons=(("==", version),), offered=None)
    asked = _ASKED.search(line)
    if asked is None:
        return None
    comparisons = tuple(
        ("==" if sign in ("===", "~=") else sign, version) for sign, version in _BOUND.findall(asked[2] or "")
    )
    there = _OFFERED.search(line)
    offered = None if there is None else tuple(re.findall(r"\d+(?:\.\d+)+[\w.+]*", there[1]))
    return NoMatch(package=normalise(asked[1]), comparisons=comparisons, offered=offered)
