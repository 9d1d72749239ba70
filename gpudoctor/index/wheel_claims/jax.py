"""Checks the table `jax` against what the extras in JAX's METADATA require."""

from collections.abc import Iterator

from packaging.specifiers import SpecifierSet

from gpudoctor.index.claims import Claim, Shelf
from gpudoctor.index.requirement_text import named, parsed
from gpudoctor.index.wheel_claims.stated import LINUX, said, specifier_text
from gpudoctor.index.wheel_claims.tensorflow import requirements
from gpudoctor.index.wheel_facts import Library, WheelFacts
from gpudoctor.knowledge.matrix.types import JaxBuild
from gpudoctor.sources.package_names import normalise


def jax_claims(row: JaxBuild, library: Library, shelf: Shelf) -> Iterator[Claim]:
    """The jaxlib it asks for, and the oldest CUDA and cuDNN that its plugin admits."""
    name = f"jax {row.version} {row.variant}"
    required = requirements("jax", row.version, LINUX, library)
    if required is None:
        return
    if row.jaxlib is not None and "+" not in row.jaxlib:
        # The first releases with plugins ask for it in the extra.
        in_extra = [one for one in named(required, "jaxlib", row.variant) if row.variant in str(one.marker)]
        asked = named(required, "jaxlib") or tuple(in_extra)
        found = str(asked[0].specifier) if asked else None
        yield said("jax", name, "jaxlib", *(specifier_text(one) for one in (row.jaxlib, found)))
    plugin = next((one for one in required if normalise(one.name) == f"jax-{row.variant}-plugin"), None)
    version = _newest_in(plugin.specifier, f"jax-{row.variant}-plugin", shelf) if plugin is not None else None
    facts = library(f"jax-{row.variant}-plugin", version, LINUX) if version is not None else None
    for field, package in (("cuda", "nvidia-cuda-runtime"), ("cudnn", "nvidia-cudnn")):
        oldest = oldest_of(facts, package)
        value = getattr(row, field)
        if oldest is not None and value is not None:
            parts = str(value).count(".") + 1
            yield said("jax", name, field, str(value), ".".join(oldest.split(".")[:parts]))


def _newest_in(specifier: SpecifierSet, package: str, shelf: Shelf) -> str | None:
    return next((one.version for one in shelf.finals(package) if specifier.contains(one.version)), None)


def oldest_of(facts: WheelFacts | None, package: str) -> str | None:
    """The lower bound that a plugin sets for one of its libraries, whatever CUDA its name ends in."""
    for one in parsed((facts.requires if facts else None) or ()):
        if normalise(one.name) == package or normalise(one.name).startswith(f"{package}-cu"):
            return next((part.version for part in one.specifier if part.operator == ">="), None)
    return None
