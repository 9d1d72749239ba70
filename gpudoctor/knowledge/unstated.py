"""What releases require beside what their metadata states: a part that a later release of another package removed."""

from functools import lru_cache

from gpudoctor.facts.specifiers import is_met
from gpudoctor.tables import rows_of


@lru_cache(maxsize=1)
def rows() -> list[list[str]]:
    """Package, its releases, what it needs, source."""
    return rows_of("knowledge/unstated")


def unstated(package: str, version: str) -> tuple[str, ...]:
    """Lines as Requires-Dist has them, of a distribution (normalised name) at this release."""
    return tuple(needed for name, releases, needed, _ in rows() if name == package and is_met(releases, version))
