"""Small helpers to read files and folders of the host, None for absent and refused alike."""

from gpudoctor.facts.base import Gap
from gpudoctor.host.port import READ_LIMIT, Host


def text_of(host: Host, path: str, *, limit: int = READ_LIMIT) -> str | None:
    """The text of a file; None where it is not there or may not be read."""
    text = host.read_text(path, limit=limit)
    return None if isinstance(text, Gap) else text


def word_of(host: Host, path: str) -> str | None:
    """The text of a one-line file of /proc or /sys, without blanks and NUL bytes; None where there is none."""
    text = text_of(host, path, limit=4096)
    return text.strip("\0 \t\r\n") or None if text is not None else None


def names_in(host: Host, path: str) -> tuple[str, ...] | None:
    """The names in a directory; None where it is not there or may not be read."""
    names = host.list(path)
    return None if isinstance(names, Gap) else names


def exists(host: Host, path: str) -> bool:
    """Something is at `path`, links followed, and we may know of it."""
    stat = host.stat(path)
    return stat is not None and not isinstance(stat, Gap)
