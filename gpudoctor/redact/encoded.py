"""Credentials that were encoded on their way into the text: percent, base64, hexadecimal, backslash escapes."""

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from gpudoctor.redact.patterns import Pattern

#: Runs longer than this are data, not credentials.
_LONGEST = 8192

_PERCENT = re.compile(r"[^\s\"'<>]*%[0-9A-Fa-f]{2}[^\s\"'<>]*")
_BACKSLASH = re.compile(r"[^\s\"'<>]*\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})[^\s\"'<>]*")
_ENTITY = re.compile(r"[^\s\"'<>]*&(?:#\d{2,6}|#x[0-9a-fA-F]{2,5}|amp|quot|colon|commat|sol);[^\s\"'<>]*")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}(?![A-Za-z0-9+/_=-])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){12,}(?![0-9A-Za-z])")


def decoded_credentials(text: str, patterns: Iterable[Pattern], removed: str) -> tuple[str, int]:
    """The text without the runs that hold a credential once they are decoded, and how many these were."""
    count = 0
    patterns = tuple(patterns)
    for run, decoders in _ENCODINGS:
        judged: dict[str, bool] = {}

        def replace(
            match: re.Match[str],
            decoders: tuple[Callable[[str], str | None], ...] = decoders,
            judged: dict[str, bool] = judged,
        ) -> str:
            nonlocal count
            word = match.group()
            if word not in judged:
                plain = _plain(word, decoders) if len(word) <= _LONGEST else ()
                judged[word] = any(_holds(text, word, patterns, removed) for text in plain)
            count += judged[word]
            return removed if judged[word] else word

        text = run.sub(replace, text)
    return text, count


def _plain(word: str, decoders: tuple[Callable[[str], str | None], ...]) -> Iterator[str]:
    for decode in decoders:
        plain = decode(word)
        if plain is not None and plain != word:
            yield plain


def _holds(plain: str, word: str, patterns: tuple[Pattern, ...], removed: str) -> bool:
    """Whether decoding brings a credential to light that the encoded word did not show."""
    return any(pattern.remove(plain, removed)[1] > pattern.remove(word, removed)[1] for pattern in patterns)


def _from_base64(word: str) -> str | None:
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return _text(raw)


def _from_hex(word: str) -> str | None:
    return _text(bytes.fromhex(word))


def _from_backslashes(word: str) -> str | None:
    return re.sub(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))", lambda m: chr(int(m.group(1) or m.group(2), 16)), word)


def _text(raw: bytes) -> str | None:
    """The bytes as text, if they are text that people write."""
    try:
        text = raw.decode("ascii")
    except UnicodeDecodeError:
        return None
    return text if all(" " <= character <= "~" or character in "\r\n\t" for character in text) else None


_ENCODINGS: tuple[tuple[re.Pattern[str], tuple[Callable[[str], str | None], ...]], ...] = (
    (_PERCENT, (unquote, lambda word: unquote(unquote(word)))),
    (_BACKSLASH, (_from_backslashes,)),
    (_ENTITY, (html.unescape,)),
    (_BASE64, (_from_base64,)),
    (_HEX, (_from_hex,)),
)
