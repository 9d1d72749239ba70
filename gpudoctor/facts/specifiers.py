"""Whether a version meets a specifier (PEP 440), quickly for plain numbers, else by `packaging`."""

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.versions import package_version

if TYPE_CHECKING:
    from packaging.version import Version

_SPECIFIER = re.compile(r"\s*(==|!=|<=|>=|<|>|~=)\s*([^\s,]+)\s*")
_PLAIN = re.compile(r"\d{1,9}(?:\.\d{1,9})*")

Numbers = tuple[int, ...]
_Ordered = TypeVar("_Ordered", Numbers, "Version")


@lru_cache(maxsize=2048)
def is_met(specifier: str, version: str) -> bool:
    """Whether `version` is within `specifier`. What cannot be read as either counts as met: it is not known."""
    answers = [_meets_plainly(clause, version) for clause in specifier.split(",") if clause.strip()]
    if False in answers:
        return False
    return True if None not in answers else _meets_by_packaging(specifier, version)


def _meets_plainly(clause: str, version: str) -> bool | None:
    """The answer where the version is plain numbers (its local part does not count), and so is the clause or nearly.

    A post-release of what the clause names is later than it, but > does not mean it.
    """
    match = _SPECIFIER.fullmatch(clause)
    public, is_later, number = version.split("+", 1)[0].partition(".post")
    if match is None or not is_plain(public) or (is_later and not number.isdecimal()):
        return None
    operator, wanted = match.groups()
    is_wildcard = wanted.endswith(".*") and operator in ("==", "!=")
    wanted = wanted[:-2] if is_wildcard else wanted
    if not is_plain(wanted):
        return None if is_wildcard or is_later else _final_meets(operator, public, wanted)
    have, want = numbers(public), numbers(wanted)
    if operator == "~=":
        return compare(">=", have, want) and padded(have, want)[: len(want) - 1] == want[:-1] if len(want) > 1 else None
    if is_wildcard:
        return (padded(have, want)[: len(want)] == want) == (operator == "==")
    if is_later and compare("==", have, want):
        return operator in (">=", "!=")
    return compare(operator, have, want)


def _final_meets(operator: str, version: str, wanted: str) -> bool | None:
    """Whether a final release is on that side of another kind of version, as of protobuf's <6.0.0dev; None: not known.

    The exceptions that PEP 440 makes for < and the like are for versions that are not final; those for > are not here.
    """
    have, want = package_version(version), package_version(wanted)
    if have is None or want is None or want.local is not None or operator not in ("==", "!=", "<=", ">=", "<"):
        return None
    return _holds(operator, have, want)


def is_plain(text: str) -> bool:
    """Numbers and dots only."""
    return _PLAIN.fullmatch(text) is not None


def numbers(text: str) -> Numbers:
    """The numbers of a plain version."""
    return tuple(int(part) for part in text.split("."))


def padded(one: Numbers, other: Numbers) -> Numbers:
    """`one` with zeros up to the length of `other`: 2 is 2.0."""
    return one + (0,) * (len(other) - len(one))


def compare(operator: str, have: Numbers, want: Numbers) -> bool:
    """`have` operator `want`."""
    return _holds(operator, padded(have, want), padded(want, have))


def _holds(operator: str, have: _Ordered, want: _Ordered) -> bool:
    return {
        "==": have == want,
        "!=": have != want,
        "<=": have <= want,
        ">=": have >= want,
        "<": have < want,
        ">": have > want,
    }[operator]


def _meets_by_packaging(specifier: str, version: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    found = package_version(version)
    try:
        return found is None or SpecifierSet(specifier).contains(found, prereleases=True)
    except InvalidSpecifier:
        return True
