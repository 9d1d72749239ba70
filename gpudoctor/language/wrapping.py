"""Folding of lines: as `textwrap` does, and in another language of the translation, whose characters may be wide."""

import textwrap
from typing import Any

from gpudoctor.language import chosen


def wrap(text: str, width: int, *, initial_indent: str = "", subsequent_indent: str = "", **how: Any) -> list[str]:
    """The lines of a text that gpudoctor says; `how` is what `textwrap.wrap` takes."""
    translator = chosen.translator()
    if translator is None:
        return textwrap.wrap(text, width, initial_indent=initial_indent, subsequent_indent=subsequent_indent, **how)
    # Imported here: English has no use for it.
    from gpudoctor.language.wide import wrapped

    lines = wrapped(initial_indent + translator.text(text), width, subsequent_indent)
    return [verbatim(line) for line in lines]


def verbatim(line: str) -> str:
    """A line that no translation touches any more: a command, or what is translated already."""
    return line if chosen.translator() is None else f"{chosen.DONE}{line}{chosen.DONE}"


def fill(text: str, width: int, *, initial_indent: str = "", subsequent_indent: str = "") -> str:
    """The same as one text."""
    return "\n".join(wrap(text, width, initial_indent=initial_indent, subsequent_indent=subsequent_indent))
