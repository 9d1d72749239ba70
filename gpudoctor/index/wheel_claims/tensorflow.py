"""Checks the tables `tensorflow`, `protobuf`, `numpy` and `keras` against the METADATA of wheels."""

from collections.abc import Iterable, Iterator

from packaging.requirements import Requirement
from packaging.version import Version

from gpudoctor.index.claims import Claim, Shelf, claim
from gpudoctor.index.claims_tensorflow import CARRIERS, covered, tensorflow_name
from gpudoctor.index.requirement_text import named, parsed
from gpudoctor.index.wheel_claims.stated import LINUX, PYTHONS, asked_claim, asks
from gpudoctor.index.wheel_facts import Library
from gpudoctor.knowledge.frameworks import computing
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TensorflowBuild
from gpudoctor.sources.package_names import normalise

#: Made by AWS, and named by TensorFlow's wheels for ARM from 2.10 to 2.15.
ARM_CARRIER = "tensorflow-cpu-aws"
PLACES = {None: LINUX, "linux": LINUX, "windows": "windows-x86_64", "macos": "macos-arm64"}


def requirements(package: str, version: str, platform: str, library: Library) -> tuple[Requirement, ...] | None:
    """Those of a build, and of the wheel that holds its files where it has none itself; None is not read."""
    facts = library(package, version, platform)
    if facts is None or facts.requires is None:
        return None
    required = tuple(parsed(facts.requires))
    carrier = {**CARRIERS, "linux-aarch64": ARM_CARRIER}.get(platform)
    if carrier is None or not named(required, carrier):
        return required
    carried = library(carrier, version, platform)
    return (*required, *parsed(carried.requires)) if carried is not None and carried.requires is not None else None


def tensorflow_claims(row: TensorflowBuild, library: Library, shelf: Shelf) -> Iterator[Claim]:
    """Of each release that the row covers: what it requires, and the build that it states."""
    if row.platform == "any":
        return
    name = tensorflow_name(row)
    for found in covered(row, shelf):
        required = requirements(row.dist, found.version, row.platform, library)
        if required is None:
            continue
        about = f"of {found.version}"
        for field in ("keras", "numpy", "protobuf"):
            yield asked_claim(
                "tensorflow", name, field, about, getattr(row, field), required, row.platform, row.pythons
            )
        # Other builds name the extra, too, and bring nothing that uses it.
        if row.build == "gpu" and row.dist == "tensorflow":
            extra = tuple(sorted({_normal(one) for one in required if "and-cuda" in _marker(one)}))
            yield claim("tensorflow", name, f"and_cuda {about}", _texts(row.and_cuda), extra, fields=("and_cuda",))
        yield from _build_info(row, name, found.version, library)


def _build_info(row: TensorflowBuild, name: str, version: str, library: Library) -> Iterator[Claim]:
    facts = library(row.dist, version, row.platform)
    carrier = CARRIERS.get(row.platform)
    if facts is not None and facts.cuda is None and carrier is not None:
        facts = library(carrier, version, row.platform)
    if facts is None or facts.cuda is None:
        return
    yield claim("tensorflow", name, f"build of {version}", row.build, "gpu" if facts.cuda else "cpu", fields=("build",))
    if facts.cuda:
        own = str(row.cuda) if row.cuda is not None else facts.cuda
        yield claim("tensorflow", name, f"cuda of {version}", own, facts.cuda, fields=("cuda",))
    if facts.cudnn and row.cudnn:
        # The file states the major, or major and minor, of it.
        part = ".".join(row.cudnn.split(".")[: facts.cudnn.count(".") + 1])
        yield claim("tensorflow", name, f"cudnn of {version}", part, facts.cudnn, fields=())


def _marker(one: Requirement) -> str:
    return str(one.marker).replace("_", "-")


def _normal(one: Requirement) -> str:
    return f"{normalise(one.name)}{one.specifier}"


def _texts(requirements: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(_normal(Requirement(one)) for one in requirements))


def required_claims(matrix: Matrix, library: Library, shelf: Shelf) -> Iterator[Claim]:
    """The tables `protobuf`, `numpy` and `keras`."""
    for row in matrix.table("protobuf"):
        required = requirements("tensorflow", row.tensorflow, LINUX, library)
        if required is not None:
            name = f"tensorflow {row.tensorflow}"
            yield asked_claim("protobuf", name, "protobuf", "in the wheel", row.required, required, LINUX, PYTHONS)
    for row in matrix.table("numpy"):
        if row.package not in computing():
            yield claim("numpy", row.package, "package", row.package, None, fields=("package",))
            continue
        required = requirements(row.package, row.version, PLACES[row.os], library)
        if required is not None:
            name = f"{row.package} {row.version}" + (f" {row.os}" if row.os else "")
            place = PLACES[row.os]
            yield asked_claim("numpy", name, "numpy", "in the wheel", row.required, required, place, PYTHONS)
    for row in matrix.table("keras"):
        yield from _keras(row.tensorflow, row.keras, row.major, row.tf_keras, library, shelf)


def _keras(
    release: str, told: str | None, major: int | None, tf_keras: tuple[str, ...], library: Library, shelf: Shelf
) -> Iterator[Claim]:
    name = f"tensorflow {release}"
    required = requirements("tensorflow", release, LINUX, library)
    if required is not None and told is not None:
        yield asked_claim("keras", name, "keras", "in the wheel", told, required, LINUX, PYTHONS)
        oldest = min(
            (one.version for one in Requirement(told).specifier if one.operator in (">=", "==", "~=")), default=""
        )
        if major is not None and oldest:
            yield claim("keras", name, "major", major, 3 if Version(oldest).major >= 3 else 2, fields=("major",))
    admitting = tuple(
        one.version
        for one in shelf.finals("tf-keras")
        if (asked := asks(library("tf-keras", one.version, LINUX), "tensorflow")) and asked.contains(release)
    )
    if admitting:
        yield claim(
            "keras", name, "tf-keras that asks for it", _sorted(tf_keras), _sorted(admitting), fields=("tf_keras",)
        )


def _sorted(versions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(versions))
