"""Checks the tables `tensorflow`, `keras`, `protobuf` and `numpy` against a package index."""

from collections.abc import Iterator

from packaging.version import Version

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.specifiers import is_met
from gpudoctor.index.claims import Claim, Shelf, claim, exists, missing, usual
from gpudoctor.index.files import Found
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import PLATFORMS, TensorflowBuild

#: Some wheels hold nothing and require the same release of another distribution: there is a build where both are.
CARRIERS = {"windows-x86_64": "tensorflow-intel", "macos-arm64": "tensorflow-macos"}
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+?)\s*((?:[=<>!~]=?|===).+)")


def tensorflow_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """Of each range of releases: its ends, the Pythons of each release in it, what `and-cuda` pins."""
    rows = matrix.tensorflow_builds()
    for row in rows:
        name = tensorflow_name(row)
        for end in dict.fromkeys((row.first, row.last)):
            yield from exists(shelf, "tensorflow", name, row.dist, end)
        if row.platform != "any":
            for found in covered(row, shelf):
                about = f"Pythons of {found.version}"
                stated = _pythons(found, row.platform, shelf)
                yield claim("tensorflow", name, about, row.pythons, stated, fields=("pythons", "platform"))
        for requirement in row.and_cuda:
            yield from satisfiable(shelf, "tensorflow", name, requirement)
    for package in dict.fromkeys(row.dist for row in rows):
        yield from _without_row(package, tuple(row for row in rows if row.dist == package), shelf)


def tensorflow_name(row: TensorflowBuild) -> str:
    """A range of builds as claims call it."""
    return f"{row.dist} {row.first}" + (f" to {row.last}" if row.last != row.first else "") + f" {row.platform}"


def _pythons(found: Found, platform: str, shelf: Shelf) -> tuple[str, ...]:
    """The Pythons that can install a release."""
    pythons = usual(found.wheels.get(platform, ()))
    carrier = shelf.release(CARRIERS.get(platform, ""), found.version)
    return pythons if carrier is None else tuple(one for one in pythons if one in carrier.wheels.get(platform, ()))


def covered(row: TensorflowBuild, shelf: Shelf) -> tuple[Found, ...]:
    """The releases on the index that a row speaks of."""
    first, last = Version(row.first), Version(row.last)
    every = (shelf.package(row.dist) or {}).items()
    return tuple(
        found
        for version, found in every
        if first <= version <= last and (not version.is_prerelease or version in {first, last})
    )


def _without_row(package: str, rows: tuple[TensorflowBuild, ...], shelf: Shelf) -> Iterator[Claim]:
    """Releases from 1.0 on, platform by platform, that no row covers."""
    for found in shelf.finals(package):
        version = Version(found.version)
        covered = {row.platform for row in rows if Version(row.first) <= version <= Version(row.last)}
        platforms = [platform for platform in PLATFORMS if platform in found.wheels] or ["any"]
        for platform in platforms if version.major >= 1 and not found.yanked else ():
            if platform not in covered:
                yield Claim(
                    table="tensorflow",
                    row=f"{package} {found.version} {platform}",
                    about="build",
                    outcome="missing",
                    matrix="no row",
                    index="has wheels" if found.wheels else "has a source archive",
                )


def satisfiable(shelf: Shelf, table: str, row: str, requirement: str) -> Iterator[Claim]:
    """That some release on the index meets a requirement; nothing where the index was not asked for the package."""
    match = _REQUIREMENT.fullmatch(requirement.partition(";")[0].strip())
    if match is None or not shelf.has(match[1]):
        return
    met = any(is_met(match[2], found.version) for found in shelf.finals(match[1]))
    yield claim(table, row, f"a release for {requirement}", True, met)


def keras_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """The Keras and tf-keras of each TensorFlow."""
    rows = matrix.table("keras")
    for row in rows:
        name = f"tensorflow {row.tensorflow}"
        yield from exists(shelf, "keras", name, "tensorflow", row.tensorflow)
        if row.keras is not None:
            yield from satisfiable(shelf, "keras", name, row.keras)
        for version in row.tf_keras:
            yield from exists(shelf, "keras", name, "tf-keras", version)
    yield from missing(shelf, "keras", "tensorflow", {row.tensorflow for row in rows})
    yield from missing(shelf, "keras", "tf-keras", {version for row in rows for version in row.tf_keras})


def requirement_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """That the releases in `protobuf` and `numpy` exist, and that none is left out."""
    protobuf = matrix.table("protobuf")
    for row in protobuf:
        yield from exists(shelf, "protobuf", f"tensorflow {row.tensorflow}", "tensorflow", row.tensorflow)
    yield from missing(shelf, "protobuf", "tensorflow", {row.tensorflow for row in protobuf})
    numpy = matrix.table("numpy")
    for row in numpy:
        name = f"{row.package} {row.version}" + (f" {row.os}" if row.os else "")
        yield from exists(shelf, "numpy", name, row.package, row.version)
    for package in dict.fromkeys(row.package for row in numpy):
        yield from missing(shelf, "numpy", package, {row.version for row in numpy if row.package == package})
