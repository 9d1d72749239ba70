"""What is known of releases of packages that go with a framework."""

from gpudoctor.facts.versions import Capability, package_version
from gpudoctor.knowledge.matrix.offer_types import Extension
from gpudoctor.knowledge.matrix.query import Matrix


def oldest_gpu_of(package: str, version: str, matrix: Matrix) -> Capability | None:
    """The oldest GPU of a release, else of the newest before it that has a row; None: not known."""
    wanted, found = package_version(version), []
    rows: tuple[Extension, ...] = matrix.table("extensions")
    for row in rows:
        known = (package_version(one) for one in row.versions if row.package == package and row.min_capability)
        found += [
            (one, row.min_capability) for one in known if one is not None and wanted is not None and one <= wanted
        ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def cuda_majors(matrix: Matrix) -> tuple[int, ...]:
    """Those that packages of the table are made for, the newest first."""
    rows: tuple[Extension, ...] = matrix.table("extensions")
    return tuple(sorted({major for row in rows for major in row.cuda}, reverse=True))
