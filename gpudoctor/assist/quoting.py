"""Text from outside made safe for an assistant: bounded, on one line, no invisible characters, marked as quoted.

An assistant reads a result as it reads its user. What a machine or a ticket says is therefore put between marks that it
cannot close, and what is outside of the marks are words of ours only. A command is quoted by its shell.
"""

import os
import unicodedata

from gpudoctor.facts import lazy_re as re
from gpudoctor.redact.credentials import beginning
from gpudoctor.redact.redactor import Door

OPEN, CLOSE = "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}", "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"
#: What stands for these marks, and for the backtick of Markdown, in a text that is quoted.
_INSIDE = str.maketrans({OPEN: "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
                         CLOSE: "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}", "`": "'"})  # fmt: skip
#: Characters of a quoted text, unless its place says otherwise; and of a command.
USUAL, COMMAND = 240, 2_000


class Quoting:
    """What goes out in one result: redacted by one door, then quoted."""

    def __init__(self, door: Door) -> None:
        self._door = door
        home = os.path.expanduser("~")
        #: A word of a command that begins in the user's home folder.
        self._in_home = re.compile(f"(?:^|(?<= ))('?){re.escape(home)}/") if len(home) > 1 and home[0] == "/" else None

    def text(self, text: str, most: int = USUAL) -> str:
        """The text between the marks."""
        return f"{OPEN}{self.bare(text, most)}{CLOSE}"

    def code(self, text: str, most: int = USUAL) -> str:
        """The text as a code span of Markdown."""
        return f"`{self.bare(text, most)}`"

    def bare(self, text: str, most: int = USUAL) -> str:
        """The text as it stands between the marks; never empty, which Markdown would not take for a code span."""
        passed = self._door.text(beginning(text, most))
        return cut(printable(passed).translate(_INSIDE), most) or "(empty)"

    def command(self, line: str) -> str | None:
        """A command as it can be pasted; None for one that is too long, or holds what cannot be seen."""
        if len(line) > COMMAND:
            return None
        passed = self._door.text(self._from_home(line))
        return passed if passed.isprintable() else None

    def _from_home(self, line: str) -> str:
        """The line with the user's home folder as ~, which keeps it a command where the name must not be said."""
        return self._in_home.sub(r"~/\1", line) if self._in_home else line


def named(text: str, most: int = 200) -> str:
    """What a call itself holds, such as the name of a file, between the marks."""
    return f"{OPEN}{cut(printable(text[: 8 * most]).translate(_INSIDE), most)}{CLOSE}"


def printable(text: str) -> str:
    """The text on one line, without controls, marks of direction, and characters that show nothing (Unicode C*)."""
    shown = text if text.isprintable() else "".join(_shown(char) for char in text)
    return " ".join(shown.split())


def _shown(char: str) -> str:
    return " " if char.isspace() else "" if unicodedata.category(char).startswith("C") else char


def cut(text: str, most: int) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}\N{HORIZONTAL ELLIPSIS}"
