"""Parses `--require gpu`, `--require 'driver>=570'`."""

import re

from gpudoctor.facts.wish import Requirement, Wish

#: Subjects that are not packages.
SUBJECTS = ("gpu", "driver", "cuda", "compute-capability", "python")


class NotARequirement(ValueError):
    """The text is no requirement; the message says what one looks like."""


def parse_wish(texts: tuple[str, ...]) -> Wish:
    """All requirements. Raises NotARequirement."""
    return Wish(requirements=tuple(parse_requirement(text) for text in texts))


def parse_requirement(text: str) -> Requirement:
    """One requirement: a subject, then comparisons separated by commas. Raises NotARequirement."""
    match = re.fullmatch(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(.*?)\s*", text, re.DOTALL)
    if match is None:
        raise NotARequirement(f"{text!r} is not a requirement; write gpu, torch>=2.6 or 'driver>=570'")
    comparisons = tuple(_comparison(part, text) for part in match.group(2).split(",") if part.strip())
    subject = re.sub(r"[-_.]+", "-", match.group(1)).lower()
    return Requirement(subject=subject, comparisons=comparisons, text=text.strip())


def _comparison(part: str, text: str) -> tuple[str, str]:
    match = re.fullmatch(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)\s*", part)
    if match is None:
        raise NotARequirement(
            f"{text!r}: {part.strip()!r} is not a comparison; write an operator (>=, >, ==, !=, <=, <) and a version"
        )
    return match.group(1), match.group(2)
