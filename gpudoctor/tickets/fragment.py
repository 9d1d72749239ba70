"""A Fragment: the facts that one recognised piece of a text states, and where it stands."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from gpudoctor.facts.base import Fact, Section, Source

#: How far a fragment is trusted against others: a tool's own output, a report that repeats tools, a person's
#: words under a label, a person's words in passing.
TOOL, REPORT, WORDS, HEARSAY = 0, 1, 2, 3


class Fragment(Fact, frozen=True, kw_only=True):
    """What one piece of text states. Sections are partial: what is not stated in them is None."""

    #: What it is, for a reader: nvidia-smi's table.
    form: str
    #: The lines that were used, from 1, in order.
    lines: tuple[int, ...]
    sections: dict[str, Section] = {}
    rank: int = TOOL

    @property
    def where(self) -> str:
        """Its place, for a reader: nvidia-smi's table, line 12."""
        return f"{self.form}, line {self.lines[0]}" if self.lines else self.form


class Contradiction(Fact, frozen=True, kw_only=True):
    """Two pieces of one text state different things. `taken` None: neither is believed."""

    #: driver.release
    fact: str
    #: (value, where it is stated)
    values: tuple[tuple[str, str], ...]
    taken: str | None = None


def source(form: str, line: int) -> Source:
    """Where a fact of a pasted text was read."""
    return Source(kind="report", where=f"{form}, line {line}")


def fragment(form: str, lines: Iterable[int], rank: int = TOOL, **sections: Section | None) -> tuple[Fragment, ...]:
    """The fragment with those of the sections that state something; none if none does."""
    kept = {name: section for name, section in sections.items() if section is not None and _says(section)}
    numbers = tuple(sorted(set(lines)))
    return (Fragment(form=form, lines=numbers, sections=kept, rank=rank),) if kept else ()


def _says(section: Section) -> bool:
    """Any field but the source differs from its default."""
    return any(
        getattr(section, name) not in (default, None, (), {})
        for name, default in defaults_of(type(section))
        if name != "source"
    )


@cache
def defaults_of(kind: type[Fact]) -> tuple[tuple[str, Any], ...]:
    """The fields of a kind of fact, each with its default; msgspec works out their types at each call."""
    return tuple(
        (one.name, one.default_factory() if one.default is msgspec.NODEFAULT and not one.required else one.default)
        for one in msgspec.structs.fields(kind)
    )
