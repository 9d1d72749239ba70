"""What releases require beside what their metadata states: a part that a later release of another package removed."""

from functools import lru_cache

from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.tables import rows_of


@lru_cache(maxsize=1)
def rows() -> tuple[tuple[str, str, str, str], ...]:
    """Package, its releases, what it needs, source."""
    return tuple((package, releases, needed, source) for package, releases, needed, source in rows_of("unstated"))


def unstated(package: str, version: str) -> tuple[str, ...]:
    """Lines as Requires-Dist has them, of a distribution (normalised name) at this release."""
    return tuple(needed for name, releases, needed, _ in rows() if name == package and is_met(releases, version))
