"""Whether a package has a wheel for a machine, as far as the matrix lists the files of the package index."""

from collections.abc import Mapping
from functools import lru_cache

from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Release
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.specifiers import meets

#: Pythons by platform, "any" included.
Wheels = Mapping[str, tuple[str, ...]]


def has_wheel(package: str, machine: Machine, matrix: Matrix, version: str | None = None) -> bool:
    """Whether a release (without one: any release) has a wheel for the machine; True where that is not known."""
    known = _wheels(package, matrix)
    rows = [wheels for release, wheels in known.items() if version in (None, release)]
    if machine.python is None or machine.platform is None or not rows:
        return True
    tags = {tag for wheels in rows for where in (machine.platform, "any") for tag in wheels.get(where, ())}
    python = machine.python
    return any(tag == python or (tag[0] == ">" and meets(python, tag)) for tag in tags)


@lru_cache(maxsize=64)
def _wheels(package: str, matrix: Matrix) -> dict[str, Wheels]:
    """The wheels of each release."""
    rows = (row for row in matrix.table("releases") if isinstance(row, Release) and row.package == package)
    return {version: row.wheels for row in rows for version in row.versions}
