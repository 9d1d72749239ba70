"""For which framework release, CUDA and C++ ABI compiled packages are made: compat/pairs.json."""

from functools import lru_cache

from gpudoctor.facts.specifiers import is_met
from gpudoctor.facts.versions import Capability, CudaVersion, package_version
from gpudoctor.knowledge.matrix.offer_types import EngineBuild, Extension, Pair
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.knowledge.milestones import milestone, numbers_of


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


def engine_rows(package: str, matrix: Matrix) -> tuple[EngineBuild, ...]:
    """The rows of a program, newest first; none where it is not known."""
    rows: tuple[EngineBuild, ...] = matrix.table("engines")
    return tuple(row for row in rows if row.package == package)


def engine_build(package: str, release: str, matrix: Matrix) -> EngineBuild | None:
    """What a release opens; None is not known."""
    return next((row for row in engine_rows(package, matrix) if is_met(row.releases, release)), None)


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


#: The first release whose wheels for Linux all have the new C++ ABI; and the first with it, of builds for that CUDA on.
ALL_NEW, SOME_NEW = numbers_of("torch-new-abi"), numbers_of("torch-new-abi-some")
NEW_CUDA = CudaVersion(milestone("torch-new-abi-cuda"))


def has_new_abi(row: TorchBuild) -> bool:
    """Whether the wheels of a build for Linux name std::string as C++11 does."""
    version = package_version(row.version)
    line = version.release[:2] if version is not None else ALL_NEW
    return line >= ALL_NEW or (line == SOME_NEW and row.cuda is not None and row.cuda >= NEW_CUDA)
