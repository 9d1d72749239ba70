"""Translates terminal output after it was laid out: sentences, and table cells with columns kept."""

import re

from gpudoctor.language.chosen import DONE
from gpudoctor.language.translator import Translator
from gpudoctor.language.wide import columns, is_wide

#: Escapes that set colours, and gaps between cells.
_SEPARATORS = re.compile(rf"({DONE}[^{DONE}\n]*{DONE}|\x1b\[[0-9;]*m|^\s+|\s{{2,}}|\s+$)")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
#: A command to paste: bold, and indented.
_COMMAND = re.compile(r" {4,}\x1b\[1m")
#: How our own errors begin; those of programs do, too, and stay.
_ERROR = "Error: "
#: Lines of programs: JSON, comments of a script that is printed.
_OF_PROGRAMS = re.compile(r"\s*(?:[{\[\]}\"#<]|\|)")


def drawn(text: str, translator: Translator) -> str:
    """The text, line by line. Commands, what is for programs, and what is translated already stay."""
    if text.startswith(DONE) and text.endswith(DONE) and "\n" in text:
        return text[len(DONE) : -len(DONE)]
    return "".join(_line(line, translator) for line in text.splitlines(keepends=True))


def _line(line: str, translator: Translator) -> str:
    if not line.strip() or _COMMAND.match(line) or _OF_PROGRAMS.match(line):
        return line.replace(DONE, "")
    if line.startswith(_ERROR):
        return f"{translator.text('Error')}：{translator.text(line[len(_ERROR) :].rstrip())}\n"
    made, before = "", ""
    for piece in _SEPARATORS.split(line):
        if not _ESCAPE.match(piece) and piece and not piece.strip() and before.strip() and "\n" not in piece:
            # A gap: what comes after it begins where it began.
            at = columns(_ESCAPE.sub("", before)) + len(piece)
            made += " " * max(2, at - columns(_ESCAPE.sub("", made)))
        else:
            made += _piece(piece, translator)
        before += piece.strip(DONE)
    return made


def _piece(piece: str, translator: Translator) -> str:
    if piece.startswith(DONE):
        return piece.strip(DONE)
    is_done = _ESCAPE.match(piece) or not piece.strip() or is_wide(piece)
    return piece if is_done else translator.text(piece)
