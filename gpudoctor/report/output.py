"""Writes to standard output with the right encoding and colours, tolerating a closed pipe."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from gpudoctor.errors import CannotWrite

#: Typographic characters and what stands for them where the stream cannot show them.
_PLAIN = str.maketrans({"\u2026": "...", "\u2013": "-", "\u2014": "-", "\u2018": "'", "\u2019": "'", "\u00d7": "x"})


def shows_unicode() -> bool:
    """Whether standard output can show the check mark."""
    try:
        "\u2713\u2717".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def width() -> int:
    """Columns to draw in: the terminal's, between 40 and 100; 80 in a pipe."""
    if not sys.stdout.isatty():
        return 80
    try:
        # A terminal that does not know its size says 0.
        columns = os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except OSError:
        columns = 80
    return max(40, min(100, columns))


def visible(text: str) -> str:
    """A name that was given may hold escapes, or turn the direction of writing; they must not steer the terminal."""
    return "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)


def say(text: str, *, end: str = "\n") -> None:
    """A line on standard error, if it takes one: closed or full, it must not change how we end."""
    with suppress(OSError, ValueError):
        sys.stderr.write(text + end)
        sys.stderr.flush()


def write_text(text: str) -> None:
    """Write text; colours only to a terminal that wants them, and no character that the stream cannot take."""
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    with _readable_failure():
        click.echo(text, nl=False, color=coloured)


def write_bytes(raw: bytes) -> None:
    """Write bytes as they are: JSON is UTF-8 whatever the console's code page."""
    with _readable_failure():
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()


@contextmanager
def _readable_failure() -> Iterator[None]:
    """A pipe closed early (`| head`) ends the writing, not the verdict; a full disk is said in one sentence."""
    try:
        yield
    except BrokenPipeError:
        pass
    except OSError as error:
        raise CannotWrite(f"the report could not be written: {error.strerror}") from None
