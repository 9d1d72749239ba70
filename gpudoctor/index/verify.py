"""Compares the matrix with a package index, row by row."""

from collections import Counter
from itertools import chain

from gpudoctor.facts.base import Fact
from gpudoctor.index.claims import Claim, Shelf, Source
from gpudoctor.index.claims_libraries import build_claims, cudnn_claims, jax_claims, release_claims, triton_claims
from gpudoctor.index.claims_tensorflow import keras_claims, requirement_claims, tensorflow_claims
from gpudoctor.index.claims_torch import companion_claims, torch_claims
from gpudoctor.index.fetch import IndexUnusable
from gpudoctor.knowledge.matrix.query import Matrix


class Tally(Fact, frozen=True, kw_only=True):
    """Rows of a table that the index can speak about, and what it said."""

    table: str
    rows: int
    confirmed: int
    wrong: int
    missing: int


class Verification(Fact, frozen=True, kw_only=True):
    """The outcome: what differs, and how much was confirmed."""

    edition: str
    tables: tuple[Tally, ...]
    #: Packages that were asked for, and releases of them on the index.
    packages: int
    releases: int
    #: Packages that the index does not have: nothing is said about them.
    absent: tuple[str, ...] = ()
    wrong: tuple[Claim, ...] = ()
    missing: tuple[Claim, ...] = ()
    lacking: tuple[Claim, ...] = ()

    @property
    def agrees(self) -> bool:
        """The index confirms everything that it can."""
        return not (self.wrong or self.missing or self.lacking)


def verify(matrix: Matrix, source: Source) -> Verification:
    """Ask the index for every package of the table `releases`, and compare. Raises IndexUnusable, MatrixUnreadable."""
    shelf = Shelf(source, dict.fromkeys(row.package for row in matrix.table("releases")))
    if not any(shelf.asked.values()):
        raise IndexUnusable("the package index has none of the packages of the matrix")
    frameworks = (torch_claims, companion_claims, tensorflow_claims, keras_claims, requirement_claims, jax_claims)
    parts = (*frameworks, build_claims, cudnn_claims, triton_claims, release_claims)
    every = tuple(chain.from_iterable(part(matrix, shelf) for part in parts))
    asked = shelf.asked
    return Verification(
        edition=matrix.edition,
        tables=tuple(_tally(table, every) for table in dict.fromkeys(claim.table for claim in every)),
        packages=sum(asked.values()),
        releases=sum(len(shelf.finals(package)) for package in asked),
        absent=tuple(package for package, is_there in asked.items() if not is_there),
        wrong=tuple(claim for claim in every if claim.outcome == "wrong"),
        missing=tuple(claim for claim in every if claim.outcome == "missing"),
        lacking=tuple(claim for claim in every if claim.outcome == "lacking"),
    )


def _tally(table: str, every: tuple[Claim, ...]) -> Tally:
    mine = [claim for claim in every if claim.table == table]
    said = {claim.row for claim in mine if claim.outcome in {"confirmed", "wrong"}}
    wrong = {claim.row for claim in mine if claim.outcome == "wrong"}
    outcomes = Counter(claim.outcome for claim in mine)
    return Tally(
        table=table,
        rows=len(said),
        confirmed=len(said - wrong),
        wrong=len(wrong),
        missing=outcomes["missing"] + outcomes["lacking"],
    )
