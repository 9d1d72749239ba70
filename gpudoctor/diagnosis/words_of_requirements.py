"""Words of commands that name what to install or start instead: a package, its releases, an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpudoctor.diagnosis.words_of_extensions import extension
from gpudoctor.facts.system import Container
from gpudoctor.knowledge.image_variants import image_with_gpu_code
from gpudoctor.knowledge.parts_by_release import requirement_that_has
from gpudoctor.sources.no_match import parse_no_match

if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated


def package(facts: Stated) -> str | None:
    """What an installer was asked for, or the one package with GPU code that is named."""
    asked = {one.package for text in facts.seen.messages if (one := parse_no_match(text))}
    return asked.pop() if len(asked) == 1 else extension(facts)


def requirement(facts: Stated) -> str | None:
    """The releases with which what is there works, or that have what a message does not find."""
    if bound := facts.seen.breaking_bound:
        return bound.requirement
    found = {one for text in facts.seen.messages if (one := requirement_that_has(text))}
    return found.pop() if len(found) == 1 else None


def newer_requirement(facts: Stated) -> str | None:
    """The same, else the package that an installer was asked for."""
    return requirement(facts) or package(facts)


def image_for_gpus(facts: Stated) -> str | None:
    """The image to take instead of one without GPU code."""
    container = facts.seen.section(Container, "container")
    return image_with_gpu_code(container.image) if container and container.image else None
