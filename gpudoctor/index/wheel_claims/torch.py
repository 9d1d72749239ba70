"""Checks the tables `torch`, `companions` and `triton` against the METADATA of wheels."""

import re
from collections.abc import Iterable, Iterator

from packaging.requirements import Requirement
from packaging.version import Version

from gpudoctor.index.claims import Claim, Shelf, claim
from gpudoctor.index.claims_torch import torch_name
from gpudoctor.index.requirement_text import holds, parsed
from gpudoctor.index.wheel_claims.stated import LINUX, asks, said
from gpudoctor.index.wheel_facts import Library, WheelFacts
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import PLATFORMS, TorchBuild
from gpudoctor.knowledge.milestones import milestone

#: From here on the Linux wheels require their CUDA libraries.
FIRST_WITH_REQUIREMENTS = Version(milestone("torch-requires-cuda"))


def torch_claims(build: TorchBuild, library: Library, shelf: Shelf) -> Iterator[Claim]:
    """The build's CUDA, pins, architectures and torchvision, and where it is the default."""
    name = torch_name(build)
    found = shelf.release("torch", build.version)
    read = {one: library("torch", build.version, one) for one in (found.wheels if found else ()) if one in PLATFORMS}
    states = {platform: facts.variant for platform, facts in read.items() if facts is not None and facts.variant}
    if states and len(states) == len(read):
        own = tuple(one for one in PLATFORMS if states.get(one) == build.variant)
        yield said("torch", name, "default_on", tuple(sorted(build.default_on)), tuple(sorted(own)))
    tag = re.fullmatch(r"cu(\d+)(\d)", build.variant)
    if tag is not None:
        yield claim("torch", name, "CUDA of its tag", str(build.cuda), f"{tag[1]}.{tag[2]}", fields=("cuda", "variant"))
    facts = read.get(LINUX)
    if facts is None:
        return
    if facts.variant == build.variant:
        yield said("torch", name, "cuda", str(build.cuda or ""), facts.cuda)
        if Version(build.version) >= FIRST_WITH_REQUIREMENTS:
            yield from _pins(build, name, facts)
    yield from _architectures(build, name, facts)
    yield from _companion(build, "torchvision", name, library, shelf)


def _pins(build: TorchBuild, name: str, facts: WheelFacts) -> Iterator[Claim]:
    required = tuple(parsed(facts.requires or ()))
    pinned = {
        field: pin(required, package)
        for field, package in {
            "cudnn": "nvidia-cudnn-cu",
            "nccl": "nvidia-nccl-cu",
            "triton": "triton",
            "cuda_patch": "cuda-toolkit",
        }.items()
    }
    for field, value in pinned.items():
        if value is not None:
            yield said("torch", name, field, getattr(build, field), value)


def pin(required: Iterable[Requirement], name: str) -> str | None:
    """The version that torch pins on Linux; the whole specifier where it is not pinned."""
    for one in required:
        mine = one.name == name or (name.endswith("-cu") and one.name.startswith(name))
        if mine and holds(one, LINUX, "3.11") and str(one.specifier):
            text = str(one.specifier)
            return text.removeprefix("==") if text.startswith("==") and "," not in text else text
    return None


def _architectures(build: TorchBuild, name: str, facts: WheelFacts) -> Iterator[Claim]:
    stated = facts.builds.get(str(build.cuda))
    if not stated or not build.archs:
        return
    if "" in stated:
        # The first such table does not tell processors apart, and leaves 7.5 out: it confirms, and refutes nothing.
        own = {arch for archs in build.archs.values() for arch in archs}
        if own == set(stated[""]):
            yield said("torch", name, "archs", True, True)
        return
    expected = {platform: stated.get("aarch64" if "aarch64" in platform else "x86_64", ()) for platform in build.archs}
    for platform, archs in build.archs.items():
        yield said("torch", name, "archs", archs, expected[platform])


def _companion(build: TorchBuild, package: str, name: str, library: Library, shelf: Shelf) -> Iterator[Claim]:
    value: str | None = getattr(build, package)
    if value is not None and shelf.has(package):
        is_there = shelf.release(package, value) is not None
        yield claim("torch", name, f"{package} {value}", True, is_there, fields=(package,))
    asked = asks(library(package, value, LINUX), "torch") if value is not None and shelf.has(package) else None
    if asked is not None:
        yield said("torch", name, package, True, asked.contains(build.version))


def companion_claims(matrix: Matrix, library: Library, shelf: Shelf) -> Iterator[Claim]:
    """The torchvision and torchaudio whose METADATA asks for each release."""
    for row in matrix.table("companions"):
        name = f"torch {row.torch}"
        for package in ("torchvision", "torchaudio"):
            listed: tuple[str, ...] = getattr(row, package)
            for version in listed:
                asked = asks(library(package, version, LINUX), "torch")
                if asked is not None:
                    about = f"{package} {version} asks for it"
                    yield claim("companions", name, about, True, asked.contains(row.torch), fields=(package,))
            newest = newest_for(row.torch, package, library, shelf)
            if newest is not None:
                yield said("companions", name, package, newest, newest if newest in listed else " ".join(listed))


def newest_for(torch: str, package: str, library: Library, shelf: Shelf) -> str | None:
    """The newest companion whose METADATA admits a torch release."""
    for found in shelf.finals(package):
        asked = asks(library(package, found.version, LINUX), "torch")
        if asked is not None and asked.contains(torch) and not found.yanked:
            return found.version
    return None


def triton_claims(matrix: Matrix, library: Library) -> Iterator[Claim]:
    """The releases of the assemblers inside."""
    for row in matrix.table("triton"):
        facts = library("triton", row.version, LINUX)
        if facts is None or not facts.assemblers:
            continue
        name = f"triton {row.version}"
        yield said("triton", name, "ptxas", row.ptxas, facts.assemblers.get("ptxas"))
        yield said("triton", name, "ptxas_blackwell", row.ptxas_blackwell, facts.assemblers.get("ptxas-blackwell"))
