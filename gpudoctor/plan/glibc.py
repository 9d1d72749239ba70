"""The oldest glibc that a release's wheels need: compat/glibc.json."""

from functools import lru_cache

from gpudoctor.facts.versions import LibraryVersion, package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import GlibcFloor

#: Packages whose releases are compared with a system's C library where none of them is installed.
FRAMEWORKS = ("torch", "tensorflow", "jaxlib")


@lru_cache(maxsize=4096)
def glibc_floor(package: str, release: str, matrix: Matrix, *kinds: str | None) -> LibraryVersion | None:
    """The oldest glibc that the wheels of a release are made for (`kinds`: variant, platform); None is not known."""
    version = package_version(release)
    if version is None:
        return None
    for row in _rows(package, matrix):
        since = package_version(row.since)
        if since is not None and version >= since and (not row.kinds or set(kinds) & set(row.kinds)):
            return row.glibc
    return None


def has_glibc_floor(package: str, matrix: Matrix) -> bool:
    """Whether it is known of any release."""
    return bool(_rows(package, matrix))


def oldest_current_glibc(matrix: Matrix) -> LibraryVersion:
    """Below it no current release of a framework has a wheel."""
    return min(_rows(name, matrix)[0].glibc for name in FRAMEWORKS)


@lru_cache(maxsize=64)
def _rows(package: str, matrix: Matrix) -> tuple[GlibcFloor, ...]:
    rows: tuple[GlibcFloor, ...] = matrix.table("glibc")
    return tuple(row for row in rows if row.package == package)
