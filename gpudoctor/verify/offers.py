"""The releases and builds of a package at each index or channel, and their Pythons."""

from functools import lru_cache

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import Release, TensorflowBuild, TorchBuild
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.indexes import tag_of_companions
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.proposals import companion_versions
from gpudoctor.plan.specifiers import meets
from gpudoctor.verify.origins import Origin

FRAMEWORK_OF = {
    "torch": "torch",
    "tensorflow": "tensorflow",
    "tensorflow-cpu": "tensorflow",
    "tensorflow-gpu": "tensorflow",
    "jax": "jax",
}


class Offer(Fact, frozen=True, kw_only=True):
    """One release at one place. `build`: of a framework; of torchvision and torchaudio that of their torch."""

    version: str
    build: Build | None = None
    #: None is not known. ">=3.9": that and newer.
    pythons: tuple[str, ...] | None = None
    #: As its metadata states it.
    requires_python: str | None = None
    #: None is not known: any.
    platforms: tuple[str, ...] | None = None


def offers(name: str, origin: Origin, machine: Machine, matrix: Matrix) -> tuple[Offer, ...]:
    """The releases of a package at a place, in no order; empty where it has none, or where that is not known."""
    if name == "torch":
        return _torch(origin, machine.platform or "linux-x86_64", matrix)
    if name in COMPANIONS and origin.kind == "pytorch":
        return _companions(name, origin, machine.platform or "linux-x86_64", matrix)
    if origin.kind != "package index":
        return ()
    if name in FRAMEWORK_OF:
        return _framework(name, machine.platform or "linux-x86_64", matrix)
    return _releases(name, matrix)


@lru_cache(maxsize=256)
def _torch(origin: Origin, platform: str, matrix: Matrix) -> tuple[Offer, ...]:
    found = []
    for build in builds_of("torch", platform, matrix):
        row = build.row
        assert isinstance(row, TorchBuild)
        if origin.kind == "package index" and platform in row.default_on:
            version = build.version
        elif origin.kind == "pytorch" and row.index_suffix is not None and origin.tag in ("", build.variant):
            version = build.version if platform.startswith("macos") else f"{build.version}+{build.variant}"
        else:
            continue
        found.append(Offer(version=version, build=build, pythons=build.pythons, platforms=build.platforms))
    return tuple(found)


@lru_cache(maxsize=256)
def _companions(name: str, origin: Origin, platform: str, matrix: Matrix) -> tuple[Offer, ...]:
    found = []
    for offer in _torch(origin, platform, matrix):
        build = offer.build
        assert build is not None
        for version in companion_versions(build, name, matrix):
            tags = {tag_of_companions(build.version, build.variant, platform)}
            parsed = package_version(build.version)
            if parsed is not None and parsed.major < 2 and not platform.startswith("macos"):
                tags |= {"", f"+{build.variant}"}
            found += [
                Offer(version=f"{version}{tag}", build=build, pythons=offer.pythons, platforms=offer.platforms)
                for tag in sorted(tags)
            ]
    return tuple(found)


@lru_cache(maxsize=64)
def _framework(name: str, platform: str, matrix: Matrix) -> tuple[Offer, ...]:
    builds = [one for one in builds_of(FRAMEWORK_OF[name], platform, matrix) if one.dist == name]
    if name != "jax":
        builds = [one for one in builds if platform in one.platforms] + [
            one for one in builds if platform not in one.platforms
        ]
    # A stub has no wheel: the installer takes its source where that is the newest, and ends with an error.
    stubs = tuple(Offer(version=row.last) for row in matrix.tensorflow_builds(dist=name) if row.build == "stub")
    return stubs + tuple(
        Offer(version=one.version, build=one, pythons=_pythons(one), platforms=one.platforms) for one in builds
    )


def _pythons(build: Build) -> tuple[str, ...]:
    """Those of the wheel: what its extra asks for may have wheels for fewer."""
    return build.row.pythons if isinstance(build.row, TensorflowBuild) else build.pythons


@lru_cache(maxsize=256)
def _releases(name: str, matrix: Matrix) -> tuple[Offer, ...]:
    rows = [row for row in matrix.table("releases") if isinstance(row, Release) and row.package == name]
    found = []
    for row in rows:
        if row.gone:
            continue
        for version in row.versions:
            for platform, pythons in row.wheels.items():
                where = None if platform == "any" else (platform,)
                found.append(
                    Offer(version=version, pythons=pythons, platforms=where, requires_python=row.requires_python)
                )
            if not row.wheels:
                found.append(Offer(version=version, requires_python=row.requires_python))
    return tuple(found)


def is_for_python(offer: Offer, python: str | None) -> bool:
    """Whether it has a wheel for a Python; True where either is not known."""
    if python is not None and offer.requires_python and not meets(f"{python}.99", offer.requires_python):
        return False
    if python is None or offer.pythons is None:
        return True
    return any(one == python or (one[0] == ">" and meets(python, one)) for one in offer.pythons)


def is_for_platform(offer: Offer, platform: str | None) -> bool:
    """Whether it has a wheel for a platform; True where either is not known."""
    return platform is None or offer.platforms is None or platform in offer.platforms
