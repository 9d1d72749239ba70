"""Whether a package has a wheel for a machine, by the matrix's lists of files."""

from functools import lru_cache

from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Release
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.specifiers import meets


def has_wheel(package: str, machine: Machine, matrix: Matrix, version: str | None = None) -> bool:
    """Whether a release (without one: any release) has a wheel for the machine; True where that is not known."""
    known = releases_of(package, matrix)
    rows = [row for release, row in known.items() if version in (None, release)]
    if machine.python is None or machine.platform is None or not rows:
        return True
    rows = [row for row in rows if is_taken_by(row, machine)]
    tags = {tag for row in rows for where in (machine.platform, "any") for tag in row.wheels.get(where, ())}
    python = machine.python
    return any(tag == python or (tag[0] == ">" and meets(python, tag)) for tag in tags)


def is_taken_by(row: Release, machine: Machine) -> bool:
    """Whether this macOS takes the wheels of a release; True where that is not known."""
    oldest = oldest_macos(row, machine)
    return oldest is None or machine.macos is None or oldest <= machine.macos


def oldest_macos(row: Release, machine: Machine) -> LibraryVersion | None:
    """The oldest macOS that takes a wheel of a release for the machine's processor and Python; None is not known.

    Where Pythons differ and the machine's is not known, the oldest of all.
    """
    where = machine.platform or ""
    text = row.macos.get(where) or row.macos.get(f"{where} {machine.python}")
    if text is not None:
        return LibraryVersion(text)
    every = (LibraryVersion(one) for key, one in row.macos.items() if key.startswith(f"{where} "))
    return min(every, default=None) if machine.python is None else None


@lru_cache(maxsize=64)
def releases_of(package: str, matrix: Matrix) -> dict[str, Release]:
    """The row of each release."""
    rows = (row for row in matrix.table("releases") if isinstance(row, Release) and row.package == package)
    return {version: row for row in rows for version in row.versions}
