"""Wraps lines as textwrap does, translated first, with wide characters counted."""

import textwrap

from gpudoctor.language import chosen


def wrap(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """The lines of a text that gpudoctor says, `first` and `later` before them.

    No word is broken: it may be a name or an address that is copied.
    """
    translator = chosen.translator()
    if translator is None:
        folded = textwrap.TextWrapper(width, first, later, break_long_words=False, break_on_hyphens=False)
        return folded.wrap(text)
    # Imported here: English has no use for it.
    from gpudoctor.language.wide import wrapped

    return [verbatim(line) for line in wrapped(first + translator.text(text), width, later)]


def verbatim(line: str) -> str:
    """A line that no translation touches any more: a command, or what is translated already."""
    return line if chosen.translator() is None else f"{chosen.DONE}{line}{chosen.DONE}"
