"""Prints a report on standard output in the requested format."""

import sys
from collections.abc import Iterator
from typing import Any

from gpudoctor.report.formats import OWN, renderer
from gpudoctor.report.output import shows_unicode, width, write_bytes, write_text
from gpudoctor.report.terminal import Style


def style_of(verbosity: int = 0) -> Style:
    """How to draw on standard output; `verbosity` -1 quiet, 0 normal, 1 verbose."""
    return Style(width=width(), unicode=shows_unicode(), verbosity=verbosity, piped=not sys.stdout.isatty())


def show(kind: str, report: Any, form: str, verbosity: int = 0) -> None:
    """Write a report; `kind` is its row of `FORMATS`. A report may be an iterator of parts, as tickets are."""
    if form == "terminal":
        made = renderer(kind, form)(report, style_of(verbosity))
    else:
        made = renderer(kind, form)(report if form in OWN else _redacted(report))
    for part in (made,) if isinstance(made, str | bytes) else made:
        if isinstance(part, bytes):
            write_bytes(part)
        elif form == "terminal":
            write_text(part)
        else:
            write_bytes((_page(part) if form == "html" else part).encode())


def _page(text: str) -> str:
    from gpudoctor.language import chosen

    return chosen.page(text)


def show_age(edition: str | None) -> None:
    """One sentence more, where the matrix is old."""
    from gpudoctor.knowledge.matrix.editions import old_words

    old = old_words(edition) if edition else None
    if old is not None:
        write_text(f"\n{old}\n")


def _redacted(report: Any) -> Any:
    # Imported here: what is shown to its own user needs no names.
    from gpudoctor.cli.redact_output import door

    passage = door()
    return map(passage.fact, report) if isinstance(report, Iterator) else passage.fact(report)
