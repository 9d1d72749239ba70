"""Checks the tables `torch` and `companions` against a package index."""

from collections.abc import Iterator

from packaging.version import Version

from gpudoctor.index.claims import Claim, Shelf, claim, exists, missing, usual
from gpudoctor.index.files import Found
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.knowledge.milestones import milestone

#: From here on the Linux wheels require NCCL, too, instead of carrying it.
FIRST_WITH_REQUIREMENTS = Version(milestone("torch-names-cuda-libraries"))


def torch_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """Of each build: its release, its Pythons where it is the default, and the libraries it pins."""
    builds = matrix.torch_builds()
    for build in builds:
        yield from exists(shelf, "torch", torch_name(build), "torch", build.version)
        yield from _default_wheels(build, shelf)
        yield from _tagged_wheels(build, shelf)
        if "linux-x86_64" in build.default_on:
            yield from _libraries(build, shelf)
    yield from missing(shelf, "torch", "torch", {build.version for build in builds})
    for version in dict.fromkeys(build.version for build in builds):
        yield from _platforms(version, tuple(build for build in builds if build.version == version), shelf)


def torch_name(build: TorchBuild) -> str:
    """A build as claims call it."""
    return f"torch {build.version}+{build.variant}"


def _default_wheels(build: TorchBuild, shelf: Shelf) -> Iterator[Claim]:
    found = shelf.release("torch", build.version)
    if found is None:
        return
    for platform in build.default_on:
        about = f"Pythons on {platform}"
        yield claim(
            "torch", torch_name(build), about, build.pythons_for(platform), usual(found.wheels.get(platform, ()))
        )
    if found.yanked:
        yield claim("torch", torch_name(build), "yanked", "no", "yes")


def _tagged_wheels(build: TorchBuild, shelf: Shelf) -> Iterator[Claim]:
    """Where an index serves the build under its own tag. It may hold a part only, so what it lacks refutes nothing."""
    found = shelf.release("torch", f"{build.version}+{build.variant}")
    for platform, pythons in found.wheels.items() if found is not None else ():
        known = build.pythons_for(platform) if platform in build.platforms else ()
        both = tuple(python for python in known if python in pythons)
        yield claim("torch", torch_name(build), f"Pythons on {platform} (tagged wheels)", both, usual(pythons))


def _libraries(build: TorchBuild, shelf: Shelf) -> Iterator[Claim]:
    if build.cuda is None or Version(build.version) < FIRST_WITH_REQUIREMENTS:
        return
    pinned = {
        f"nvidia-cudnn-cu{build.cuda.major}": build.cudnn,
        f"nvidia-nccl-cu{build.cuda.major}": build.nccl,
        "triton": build.triton,
    }
    for package, version in pinned.items():
        if version is not None and version[0].isdigit():
            yield from exists(shelf, "torch", torch_name(build), package, version)


def _platforms(version: str, builds: tuple[TorchBuild, ...], shelf: Shelf) -> Iterator[Claim]:
    """A platform that the index has wheels for, and that no row calls a default."""
    found: Found | None = shelf.release("torch", version)
    defaults = {platform for build in builds for platform in build.default_on}
    for platform in found.wheels if found is not None else ():
        if platform not in defaults:
            yield Claim(
                table="torch",
                row=f"torch {version}",
                about=f"build on {platform}",
                outcome="missing",
                matrix="no default build",
                index="has wheels",
            )


def companion_claims(matrix: Matrix, shelf: Shelf) -> Iterator[Claim]:
    """The torchvision and torchaudio releases that belong to each torch."""
    rows = matrix.table("companions")
    for row in rows:
        name = f"torch {row.torch}"
        yield from exists(shelf, "companions", name, "torch", row.torch)
        for package, versions in (("torchvision", row.torchvision), ("torchaudio", row.torchaudio)):
            for version in versions:
                yield from exists(shelf, "companions", name, package, version)
    yield from missing(shelf, "companions", "torchvision", {version for row in rows for version in row.torchvision})
    yield from missing(shelf, "companions", "torchaudio", {version for row in rows for version in row.torchaudio})
