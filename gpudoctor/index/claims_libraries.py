"""Checks the tables `jax`, `builds`, `cudnn` and `releases` against a package index."""

from collections.abc import Iterator

from packaging.version import Version

from gpudoctor.index.claims import Claim, Shelf, claim, exists, missing, usual, wheel_words
from gpudoctor.index.claims_tensorflow import satisfiable
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Cudnn, FrameworkBuild, JaxBuild, Release
from gpudoctor.knowledge.milestones import milestone

#: Older cuDNN releases were archives to download, not packages.
FIRST_CUDNN = Version(milestone("cudnn-packages-begin"))


def jax_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """Of each release and extra: the release, its mark, and the wheels of the plugin that the extra asks for."""
    rows = matrix.jax_builds()
    for row in rows:
        name = f"jax {row.version} {row.variant}"
        yield from exists(shelf, "jax", name, "jax", row.version)
        found = shelf.release("jax", row.version)
        if found is not None:
            yield claim(
                "jax",
                name,
                "yanked",
                "yes" if row.yanked else "no",
                "yes" if found.yanked else "no",
                fields=("yanked",),
            )
        if row.jaxlib is not None and "+" not in row.jaxlib:
            yield from satisfiable(shelf, "jax", name, f"jaxlib{row.jaxlib}")
        yield from _plugin(row, name, shelf)
    yield from missing(shelf, "jax", "jax", {row.version for row in rows})


def _plugin(row: JaxBuild, name: str, shelf: Shelf) -> Iterator[Claim]:
    found = shelf.release(f"jax-{row.variant}-plugin", row.version)
    if found is None:
        return
    own, stated = tuple(sorted(row.platforms)), tuple(sorted(found.wheels))
    yield claim("jax", name, "platforms of the plugin", own, stated, fields=("platforms", "variant"))
    for platform in row.platforms:
        about = f"Pythons of the plugin on {platform}"
        pythons = usual(found.wheels.get(platform, ()))
        yield claim("jax", name, about, row.pythons, pythons, fields=("pythons",))


def build_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """Of builds on the package index: the release, and the Pythons of its wheels. Makers' own indexes are not asked."""
    rows: tuple[FrameworkBuild, ...] = matrix.table("builds")
    for row in rows:
        if row.variant != "plain":
            continue
        name = f"{row.package} {row.version}"
        yield from exists(shelf, "builds", name, row.package, row.version)
        found = shelf.release(row.package, row.version)
        for platform, pythons in found.wheels.items() if found is not None else ():
            if platform in (row.platforms or (platform,)):
                yield claim("builds", name, f"Pythons on {platform}", row.pythons, usual(pythons), fields=("pythons",))


def cudnn_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """That the index has a release of each cuDNN minor, and no minor without a row."""
    rows: tuple[Cudnn, ...] = matrix.table("cudnn")
    for major in sorted({major for row in rows for major in _majors(row)}):
        package = f"nvidia-cudnn-cu{major}"
        if not shelf.has(package):
            continue
        minors = {".".join(found.version.split(".")[:2]) for found in shelf.finals(package) if not found.yanked}
        mine = {row.cudnn: row for row in rows if major in _majors(row)}
        for minor, row in mine.items():
            if minor in minors or Version(minor) >= FIRST_CUDNN:
                name = f"cuDNN {minor} for CUDA {' '.join(row.cuda)}"
                yield claim("cudnn", name, f"a release of {package}", True, minor in minors, fields=("cudnn", "cuda"))
        for minor in minors - mine.keys():
            name = f"cuDNN {minor} for CUDA {major}.x"
            yield Claim(table="cudnn", row=name, about=package, outcome="missing", matrix="no row", index="has it")


def triton_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """That each release exists. What is in it is read of the wheels only."""
    for row in matrix.table("triton"):
        yield from exists(shelf, "triton", f"triton {row.version}", "triton", row.version)


def _majors(row: Cudnn) -> set[int]:
    return {int(cuda.split(".")[0]) for cuda in row.cuda}


def release_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """Every release of every package of the matrix: its wheels, its Python requirement, its mark."""
    rows: tuple[Release, ...] = matrix.table("releases")
    known: dict[str, set[Version]] = {}
    for row in rows:
        known.setdefault(row.package, set()).update(map(Version, row.versions))
        for version in row.versions if shelf.has(row.package) else ():
            yield from _release(row, version, shelf)
    for package, versions in known.items():
        for found in shelf.finals(package):
            if Version(found.version) not in versions:
                name = f"{package} {found.version}"
                wheels = wheel_words(found.wheels)
                yield Claim(table="releases", row=name, about="release", outcome="lacking", index=wheels)


def _release(row: Release, version: str, shelf: Shelf) -> Iterator[Claim]:
    found, name = shelf.release(row.package, version), f"{row.package} {version}"
    if found is None or row.gone:
        yield claim(
            "releases", name, "release", not row.gone, found is not None, fields=("gone", "package", "versions")
        )
        return
    yield claim("releases", name, "wheels", row.wheels, found.wheels, fields=("wheels",))
    if row.macos or found.macos:
        yield claim("releases", name, "oldest macOS", _pairs(row.macos), _pairs(found.macos), fields=("macos",))
    yield claim(
        "releases", name, "requires Python", row.requires_python, found.requires_python, fields=("requires_python",)
    )
    yanked = ("yes" if row.yanked else "no", "yes" if found.yanked else "no")
    yield claim("releases", name, "yanked", *yanked, fields=("yanked", "package", "versions"))


def _pairs(macos: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{where}: {release}" for where, release in macos.items())
