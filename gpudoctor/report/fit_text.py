"""Renders the solver's answer of `matrix fit` as text."""

from collections.abc import Iterable, Iterator

from gpudoctor.language import wrapping
from gpudoctor.plan.answer import Fit
from gpudoctor.report.fit_lines import Block, FitLine, fit_blocks
from gpudoctor.report.terminal import Style

#: What stands before a line, by its kind; a command is never wrapped.
MARKS = {"what": "", "command": "    ", "why": "  + ", "but": "  ! ", "not": "  - ", "which": "  ", "source": "    "}


def fit_text(fit: Fit, style: Style) -> str:
    """The whole answer; sources if the style is verbose."""
    return blocks_text(fit_blocks(fit), style)


def blocks_text(blocks: Iterable[Block], style: Style) -> str:
    """Paragraphs, with an empty line between them."""
    return "\n\n".join("\n".join(_drawn(block, style)) for block in blocks) + "\n"


def _drawn(block: Block, style: Style) -> Iterator[str]:
    for line in block:
        if line.kind != "source" or style.verbosity > 0:
            yield from _line(line, style.width)


def _line(line: FitLine, width: int) -> list[str]:
    mark = MARKS[line.kind]
    if line.kind in ("command", "which"):
        return [f"{mark}{line.text}"]
    return wrapping.wrap(line.text, width, mark, "    " if mark else "")
