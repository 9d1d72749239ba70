"""Checks the matrix's release dates and glibc requirements against the file lists of a package index."""

from collections.abc import Iterator

from packaging.version import Version

from gpudoctor.index.claims import Claim, Shelf, claim
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import GlibcFloor


def date_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """The day of each release."""
    for row in matrix.table("dates"):
        for version, day in row.released.items():
            found = shelf.release(row.package, version)
            if found is not None and found.released is not None:
                about = f"{row.package} {version}"
                yield claim("dates", row.package, about, day, found.released, fields=("package", "released"))


def glibc_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """The C library of every release that a row read from these tags speaks about."""
    rows: tuple[GlibcFloor, ...] = matrix.table("glibc")
    for package in dict.fromkeys(row.package for row in rows):
        mine = [row for row in rows if row.package == package and not row.kinds]
        for found in shelf.finals(package):
            row = next((one for one in mine if Version(found.version) >= Version(one.since)), None)
            if row is not None and row.confidence == "metadata" and found.glibc is not None:
                name, about = f"{package} from {row.since} on", f"C library of {found.version}"
                yield claim("glibc", name, about, str(row.glibc), found.glibc, fields=("package", "since", "glibc"))
