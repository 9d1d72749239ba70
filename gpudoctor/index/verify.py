"""Compares the compatibility matrix with a package index, row by row."""

from collections import Counter
from itertools import chain

from gpudoctor.facts.base import Fact
from gpudoctor.index.claims import Claim, Shelf, Source
from gpudoctor.index.claims_files import date_claims, glibc_claims
from gpudoctor.index.claims_libraries import build_claims, cudnn_claims, jax_claims, release_claims, triton_claims
from gpudoctor.index.claims_tensorflow import keras_claims, requirement_claims, tensorflow_claims
from gpudoctor.index.claims_torch import companion_claims, torch_claims
from gpudoctor.index.fetch import Fetcher, IndexUnusable
from gpudoctor.index.offers import Offers
from gpudoctor.index.wheel_claims.every import content_claims, wheels_to_read
from gpudoctor.index.wheel_facts import Library, LiveLibrary
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import ALL_TABLES
from gpudoctor.knowledge.matrix.types import Release, Row

#: Fields of a row about the row itself, or in words.
NO_FACTS = ("source", "checked", "confidence", "notes")


class Tally(Fact, frozen=True, kw_only=True):
    """Rows of a table that the index can speak about, and what it said."""

    table: str
    rows: int
    confirmed: int
    wrong: int
    missing: int
    #: Cells of all its rows: what was confirmed, what was contradicted, and what nothing here can speak about.
    cells_confirmed: int = 0
    cells_contradicted: int = 0
    cells_not_confirmable: int = 0


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
    #: Parts of the wheels themselves were read.
    read_wheels: int | None = None

    @property
    def agrees(self) -> bool:
        """The index confirms everything that it can."""
        return not (self.wrong or self.missing or self.lacking)


def verify(matrix: Matrix, source: Source, library: Library | None = None) -> Verification:
    """Ask the index for every package of the table `releases`, and compare; with a library, wheels' contents too.

    Raises IndexUnusable, MatrixUnreadable.
    """
    shelf = Shelf(source, dict.fromkeys(row.package for row in matrix.table("releases")))
    if not any(shelf.asked.values()):
        raise IndexUnusable("the package index has none of the packages of the matrix")
    frameworks = (torch_claims, companion_claims, tensorflow_claims, keras_claims, requirement_claims, jax_claims)
    files = (date_claims, glibc_claims)
    parts = (*frameworks, build_claims, cudnn_claims, triton_claims, release_claims, *files)
    every = tuple(chain.from_iterable(part(matrix, shelf) for part in parts))
    if library is not None:
        every += tuple(content_claims(matrix, library, shelf))
    asked, tables = shelf.asked, ALL_TABLES if library is not None else dict.fromkeys(one.table for one in every)
    return Verification(
        edition=matrix.edition,
        tables=tuple(_tally(table, every, matrix) for table in tables),
        packages=sum(asked.values()),
        releases=sum(len(shelf.finals(package)) for package in asked),
        absent=tuple(package for package, is_there in asked.items() if not is_there),
        wrong=tuple(claim for claim in every if claim.outcome == "wrong"),
        missing=tuple(claim for claim in every if claim.outcome == "missing"),
        lacking=tuple(claim for claim in every if claim.outcome == "lacking"),
        read_wheels=getattr(library, "count", None),
    )


def read_wheels(matrix: Matrix, fetcher: Fetcher, offers: Offers) -> LiveLibrary:
    """The wheels that rows speak about, read in parts. Raises IndexUnusable, MatrixUnreadable."""
    library = LiveLibrary(fetcher, offers)
    shelf = Shelf(offers, dict.fromkeys(row.package for row in matrix.table("releases")))
    library.prepare(wheels_to_read(matrix, shelf))
    return library


def _tally(table: str, every: tuple[Claim, ...], matrix: Matrix) -> Tally:
    mine = [claim for claim in every if claim.table == table]
    said = {claim.row for claim in mine if claim.outcome in {"confirmed", "wrong"}}
    wrong = {claim.row for claim in mine if claim.outcome == "wrong"}
    outcomes = Counter(claim.outcome for claim in mine)
    refuted = {(claim.row, field) for claim in mine if claim.outcome == "wrong" for field in claim.fields}
    proved = {(claim.row, field) for claim in mine if claim.outcome == "confirmed" for field in claim.fields} - refuted
    cells = sum(_cells(row) for row in matrix.table(table))
    return Tally(
        table=table,
        rows=len(said),
        confirmed=len(said - wrong),
        wrong=len(wrong),
        missing=outcomes["missing"] + outcomes["lacking"],
        cells_confirmed=len(proved),
        cells_contradicted=len(refuted),
        cells_not_confirmable=max(0, cells - len(proved) - len(refuted)),
    )


def _cells(row: Row) -> int:
    """The facts in a row. One about several releases counts for each of them, as it is asked for each."""
    stated = [
        name for name in row.__struct_fields__ if name not in NO_FACTS and getattr(row, name) not in (None, (), {}, "")
    ]
    return len(stated) * (len(row.versions) if isinstance(row, Release) else 1)
