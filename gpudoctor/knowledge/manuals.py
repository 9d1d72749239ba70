"""The manual pages of the rules, which `gpudoctor explain CODE` prints: manuals/*.toml and failures.toml, compiled."""

from functools import cache

from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.tables import records_of

#: Headings of a page by its parts, in order; each is a line of its own ending in a colon.
HEADINGS = {
    "means": "What it means",
    "breaks": "Why it breaks",
    "fix": "How to fix it",
    "ignore": "When to ignore it",
    "sources": "Sources",
}


class Manual(Fact, frozen=True, kw_only=True):
    """A page, below the line that sums the rule up."""

    means: str
    breaks: str
    fix: str
    ignore: str
    sources: str

    @property
    def text(self) -> str:
        """The parts, each under its heading."""
        return "\n\n".join(f"{heading}:\n{getattr(self, part).strip()}" for part, heading in HEADINGS.items())


@cache
def manuals() -> dict[str, Manual]:
    """All pages, by the names of the rules."""
    return records_of("manuals", dict[str, Manual])
