"""`--lang`: prints output, errors and help in another language."""

import re
import sys
from collections.abc import Iterable
from typing import Any

import click

from gpudoctor.language import chosen
from gpudoctor.language.drawn import drawn
from gpudoctor.language.translator import Translator
from gpudoctor.language.wide import wrapped

_DEFAULT = re.compile(r"\[default: (\S+)\]")
_TRACEBACK = "Traceback (most recent call last)"
#: A character of each language, for streams that cannot show them all.
_SAMPLES = {"zh": "\u4e2d"}


class Spoken:
    """A stream on which every text is written in the language; bytes are written as they are."""

    def __init__(self, stream: Any, translator: Translator) -> None:
        self._stream, self._translator = stream, translator

    def write(self, text: str) -> int:
        """Write it, translated. What is to be pasted into a report of our own bug stays; and bytes are refused."""
        is_ours = isinstance(text, str) and _TRACEBACK not in text
        self._stream.write(drawn(text, self._translator) if is_ours else text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Help(click.HelpFormatter):
    """Help whose characters may be wide."""

    def _said(self, text: str) -> str:
        translator = chosen.translator()
        return translator.text(text) if translator else text

    def _part(self, text: str) -> str:
        """What an option does, or its default, which is a word to type."""
        word = _DEFAULT.fullmatch(text)
        return f"[{self._said('default')}：{word[1]}]" if word else self._said(text)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """How the command is called."""
        super().write_usage(prog, args, self._said("Usage:") if prefix is None else prefix)

    def write_heading(self, heading: str) -> None:
        """The heading of a list."""
        super().write_heading(self._said(heading))

    def write_text(self, text: str) -> None:
        """Paragraphs; what stands behind a backspace keeps its lines."""
        indent = " " * self.current_indent
        for number, paragraph in enumerate(text.split("\n\n")):
            self.write("\n" if number else "")
            kept = paragraph.lstrip().startswith("\b")
            lines = paragraph.replace("\b", "").strip("\n").splitlines() if kept else [" ".join(paragraph.split())]
            for line in lines:
                for one in wrapped(indent + (line if kept else self._said(line)), self.width, indent):
                    self.write(one + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Options or commands, and what each does."""
        rows = list(rows)
        first = min(max((len(row[0]) for row in rows), default=0), col_max) + col_spacing
        hang = " " * (self.current_indent + first)
        for name, about in rows:
            said = self._said(" ".join(about.split()))
            if said == " ".join(about.split()):
                said = "  ".join(map(self._part, filter(None, about.split("  "))))
            head = " " * self.current_indent + name
            if len(name) + col_spacing > first:
                self.write(head + "\n")
                head = ""
            for line in wrapped(head.ljust(len(hang)) + said, max(self.width, len(hang) + 20), hang):
                self.write(line + "\n")


def speak_to_user(language: str) -> str | None:
    """Speak it on the standard streams. Where they cannot show it, all stays English, and why is returned."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        _SAMPLES.get(language, "").encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return f"Standard output is {encoding}, which has no characters for --lang {language}: this is in English."
    try:
        chosen.speak(language)
    except OSError as error:
        return f"The catalogue of --lang {language} cannot be read ({error.strerror}): this is in English."
    translator = chosen.translator()
    if translator is not None:
        sys.stdout, sys.stderr = Spoken(sys.stdout, translator), Spoken(sys.stderr, translator)
        click.Context.formatter_class = Help
    return None
