"""Files and texts passed to an MCP tool, size-limited before anything reads them."""

import os

from gpudoctor.assist.folders import NotAllowed
from gpudoctor.assist.quoting import named
from gpudoctor.assist.tool import CannotAnswer, Session
from gpudoctor.examine.tickets import Input, Unreadable, read_input

#: Of a longer text this much of its beginning and of its end is judged: a call must not last.
_END = 250_000


def text_input(text: str) -> Input:
    """A text of the call."""
    return _bounded(Input("the ticket", text.encode("utf-8", "replace")))


def read_file(path: str, session: Session) -> Input:
    """A file that the folders allow. Raises CannotAnswer."""
    name = named(os.path.basename(path), 80)
    try:
        return _bounded(read_input(session.folders.file(path)))
    except NotAllowed as error:
        raise CannotAnswer(f"{name} is not read: {error}") from None
    except Unreadable as error:
        raise CannotAnswer(f"{name} cannot be read: {session.quoting().text(str(error))}.") from None


def _bounded(given: Input) -> Input:
    raw = given.raw
    is_whole = raw[:4] == b"PK\x03\x04" or raw.lstrip()[:1] in (b"{", b"\x1f")
    if is_whole or len(raw) <= 2 * _END:
        return Input("the ticket", raw, given.cut)
    left = len(raw) - 2 * _END
    return Input("the ticket", raw[:_END] + b"\n" + raw[-_END:], f"{left:,} bytes or more in its middle were not read")
