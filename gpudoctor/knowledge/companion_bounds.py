"""Requirements of releases that their metadata leaves out, and companions that break them: unstated.tsv."""

import re
from functools import lru_cache
from typing import NamedTuple

from gpudoctor.facts.specifiers import is_met
from gpudoctor.tables import rows_of


@lru_cache(maxsize=1)
def rows() -> list[list[str]]:
    """Package, its releases, what it needs, source."""
    return rows_of("knowledge/unstated")


def unstated(package: str, version: str) -> tuple[str, ...]:
    """Lines as Requires-Dist has them, of a distribution (normalised name) at this release."""
    return tuple(needed for name, releases, needed, _ in rows() if name == package and is_met(releases, version))


_NAME = re.compile(r"[\w-]+")


class Bound(NamedTuple):
    """A row: TensorFlow up to 2.4 works with h5py<3."""

    package: str
    releases: str
    requirement: str
    #: What the failure prints, as an expression; empty where it may be anything.
    prints: str
    #: The wheels that it is true of, by system and Python: windows 3.10; empty for all builds.
    wheels: str
    source: str

    @property
    def companion(self) -> str:
        """h5py of h5py<3."""
        return (_NAME.match(self.requirement) or [""])[0]

    @property
    def allowed(self) -> str:
        """<3 of h5py<3."""
        return self.requirement.removeprefix(self.companion)


@lru_cache(maxsize=1)
def bounds() -> tuple[Bound, ...]:
    """All rows."""
    return tuple(Bound(*row) for row in rows_of("knowledge/companion_bounds"))


def bounds_of(package: str, version: str, wheel: str = "") -> tuple[Bound, ...]:
    """What this release works with; `wheel` is the one that is installed, where that is known: windows 3.10."""
    rows = (one for one in bounds() if one.package == package and one.wheels in ("", wheel))
    return tuple(one for one in rows if is_met(one.releases, version))


def bound_shown_by(message: str, releases: dict[str, str]) -> Bound | None:
    """The bound that an error line is about, given the releases that are there by name."""
    given = releases.items()
    rows = (row for row in bounds() for name, version in given if row.package == name and is_met(row.releases, version))
    return next((row for row in rows if row.prints and re.search(row.prints, message)), None)
