"""Releases in which a behaviour begins or ends: milestones.toml."""

from functools import cache
from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.tables import records_of


class Milestone(Fact, frozen=True, kw_only=True):
    """One record: the release, what begins or ends with it, and where that stands."""

    name: str
    release: str
    says: str
    source: str
    #: The oldest macOS with whose GPU it works from here on.
    macos: str = ""
    grade: Literal["official", "metadata", "derived", "secondhand"] = "secondhand"
    #: The ISO date on which the source was read, where that is known.
    checked: str = ""


@cache
def milestones() -> dict[str, Milestone]:
    """All records, by name."""
    return {one.name: one for one in records_of("knowledge/milestones", tuple[Milestone, ...])}


def milestone(name: str) -> str:
    """The release: 2.14, 525.105.17."""
    return milestones()[name].release


def numbers_of(name: str) -> tuple[int, ...]:
    """The numbers of the release: (2, 14)."""
    return tuple(map(int, milestone(name).split(".")))
