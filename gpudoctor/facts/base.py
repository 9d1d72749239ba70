"""Base types of all facts: Fact, where it was read (Source), and why it could not be (Gap)."""

from typing import Literal

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A typed value. A field that is None was not stated by any source: unknown, never zero, never false."""


class Source(Fact, frozen=True, kw_only=True):
    """Where a value was read."""

    kind: Literal["file", "command", "library", "metadata", "environment", "matrix", "report", "derived"]
    where: str


class Section(Fact, frozen=True, kw_only=True, tag_field="section", tag=str.lower):
    """A part of the snapshot. In the snapshot it is present (the section), absent (None) or not seen (a Gap)."""


class Gap(Section, frozen=True, kw_only=True):
    """We could not look: why, and what was tried."""

    reason: str
    tried: tuple[Source, ...] = ()


NOT_RECORDED = Gap(reason="not recorded")
