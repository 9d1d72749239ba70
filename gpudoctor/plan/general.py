"""Builds of frameworks without a compatibility table of their own, mostly from their makers' indexes."""

from typing import Literal

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.frameworks import descriptor
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import FrameworkBuild
from gpudoctor.plan.builds import Build


def is_general(build: Build) -> bool:
    """Whether it is of a framework without a table of its own."""
    return isinstance(build.row, FrameworkBuild)


def index_of_its_makers(build: Build) -> str | None:
    """Where its makers offer it; None: on the package index."""
    record = descriptor(build.framework)
    known = record.index if record is not None and build.variant != "plain" else None
    return known.format(tag=build.variant) if known else None


def why_no_code(
    build: Build, gpu: Capability, label: str, matrix: Matrix
) -> tuple[Literal["gpu", "unknown"], str] | None:
    """Why a build whose code was not read is not for a GPU; a general one may be for those that its CUDA serves."""
    toolkit = matrix.toolkit(build.cuda) if build.cuda is not None else None
    if not is_general(build) or toolkit is None:
        return "unknown", "the matrix does not know which GPUs it has code for"
    if gpu not in toolkit.capabilities:
        return "gpu", f"CUDA {build.cuda} has no code for {label}"
    if build.min_capability is not None and gpu < build.min_capability:
        return "unknown", f"it is not known to have code for {label}"
    return None
