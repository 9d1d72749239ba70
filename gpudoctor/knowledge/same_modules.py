"""Packages that provide the same module, of which only one can be installed (onnxruntime, onnxruntime-gpu)."""

from functools import lru_cache
from typing import NamedTuple

from gpudoctor.tables import rows_of


class SameModule(NamedTuple):
    """A row of same_modules.tsv: the packages own the files of `module`, in the releases that `releases` specifies."""

    module: str
    packages: frozenset[str]
    releases: str


@lru_cache(maxsize=1)
def same_modules() -> tuple[SameModule, ...]:
    """All rows."""
    rows = rows_of("knowledge/same_modules")
    return tuple(SameModule(module, frozenset(packages.split("|")), releases) for module, packages, releases, _ in rows)
