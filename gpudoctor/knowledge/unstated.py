"""What releases require beside what their metadata states: a part that a later release of another package removed."""

import os
from functools import lru_cache

from gpudoctor.facts.specifiers import is_met

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "unstated.tsv")


@lru_cache(maxsize=1)
def rows() -> tuple[tuple[str, str, str, str], ...]:
    """Package, its releases, what it needs, source."""
    with open(_FILE, encoding="utf-8") as stream:
        lines = (line.rstrip("\n").split("\t") for line in stream if not line.startswith("#"))
        return tuple((package, releases, needed, source) for package, releases, needed, source in lines)


def unstated(package: str, version: str) -> tuple[str, ...]:
    """Lines as Requires-Dist has them, of a distribution (normalised name) at this release."""
    return tuple(needed for name, releases, needed, _ in rows() if name == package and is_met(releases, version))
