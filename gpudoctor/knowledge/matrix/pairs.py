"""Packages with compiled parts for one line of a framework, where only their makers' tables say which."""

from functools import lru_cache

from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.matrix.offer_types import Pair
from gpudoctor.knowledge.matrix.query import Matrix


@lru_cache(maxsize=64)
def pairs_of(package: str, matrix: Matrix) -> tuple[Pair, ...]:
    """The rows of a package, newest first; none where its metadata says what it is made for, or nothing is known."""
    rows: tuple[Pair, ...] = matrix.table("pairs")
    return tuple(row for row in rows if row.package == package)


def pair_of(package: str, release: str, matrix: Matrix) -> Pair | None:
    """What a release (plain numbers) is made for; None is not known."""
    return next((row for row in pairs_of(package, matrix) if is_met(row.releases, release)), None)


def pair_for(package: str, framework: str, matrix: Matrix) -> Pair | None:
    """The newest releases of a package for a release (plain numbers) of its framework; None: there are none."""
    return next((row for row in pairs_of(package, matrix) if is_met(row.made_for, framework)), None)


def in_words(specifier: str) -> str:
    """What a package is made for: 2.9; 2.11 or newer; 2.2.1 at most; 2.13 to 2.15."""
    first, _, end = specifier.partition(",")
    number = first.lstrip("=<>").removesuffix(".*")
    if end:
        *major, minor = end.lstrip("<").split(".")
        return f"{number} to {'.'.join((*major, str(int(minor) - 1)))}"
    if first.startswith("<"):
        return f"{number} at most"
    return f"{number} or newer" if first.startswith(">") else number
