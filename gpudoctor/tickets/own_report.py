"""A report of gpudoctor that somebody pasted as text: the findings it names, which its facts may not show."""

from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact

#: As the terminal and Markdown write a finding: "### error FRM003 arch-too-old-for-build (likely)".
_FINDING = re.compile(
    r"^[>#\s]*(?P<severity>error|warning)\s+(?P<code>[A-Z]{3}\d{3})\s+(?P<name>[a-z0-9]+(?:-[a-z0-9]+)*)"
    r"(?:\s+\((?:likely|possible)\))?\s*$"
)
#: Lines of summary below it, at most.
_SUMMARY = 6


class OwnFinding(Fact, frozen=True, kw_only=True):
    """A finding that the text names. `line` counts from 1."""

    code: str
    name: str
    severity: Literal["error", "warning"]
    summary: str = ""
    line: int


def parse_own_findings(text: str) -> tuple[OwnFinding, ...]:
    """The findings of a pasted report, root causes first as it has them; each once."""
    found: dict[str, OwnFinding] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines):
        match = _FINDING.match(line)
        if match is None:
            continue
        one = OwnFinding(
            code=match["code"],
            name=match["name"],
            severity="error" if match["severity"] == "error" else "warning",
            summary=_summary(lines[number + 1 :]),
            line=number + 1,
        )
        found.setdefault(f"{one.code} {one.summary}", one)
    return tuple(found.values())


def _summary(lines: list[str]) -> str:
    """The sentence below the heading: in the terminal wrapped and indented by two, in Markdown a paragraph."""
    words: list[str] = []
    for line in lines[:_SUMMARY]:
        if not line.strip() and not words:
            continue
        if not line.strip() or line.startswith(("    ", "- ", "  Fix: ", "  To mend it: ", "#")):
            break
        words.append(line.strip())
    return re.sub(r"\\([\\`*_{}\[\]<>~|])", r"\1", " ".join(words)).replace("\u200b", "")
