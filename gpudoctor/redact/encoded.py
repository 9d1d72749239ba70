"""Finds encoded runs in a text and decodes them: percent, base64, hexadecimal, escapes, entities."""

import binascii
from collections.abc import Callable
from functools import partial

from gpudoctor.facts import lazy_re as re

#: Gives what takes the place of a run, from the run, what it decodes to, and the decoder; None leaves it.
Judge = Callable[[str, str, Callable[[str], str | None]], str | None]

#: A longer run is judged in pieces.
_LONGEST = 4096
#: Not part of any run.
_WORD = r"[^\s\"'<>]"

_RUN = re.compile(rf"{_WORD}{{1,{_LONGEST}}}")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_BACKSLASH = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})")
_ENTITY = re.compile(r"&(?:#\d{2,6}|#x[0-9a-fA-F]{2,5}|amp|quot|apos|lt|gt|colon|commat|sol|equals);")
#: Base64 of ASCII only: the highest bit of each of three bytes is 0, which tells it from most folders and hashes.
_QUAD = "[A-Za-f][A-HQ-Xg-nw-z0-3][AEIMQUYcgkosw048BFJNRVZdhlptx159][A-Za-z0-9+/_-]"
_BASE64 = re.compile(
    rf"(?<![A-Za-z0-9+/_-])(?:{_QUAD}){{5,{_LONGEST}}}[A-Za-z0-9+/_-]{{0,3}}={{0,2}}(?![A-Za-z0-9+/_-])"
)
#: Pairs that are printed characters, or line breaks.
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[2-7][0-9a-fA-F]|0[9aAdD]){8,4096}(?![0-9A-Za-z])")


def decoded_replaced(text: str, judge: Judge) -> str:
    """The text with each encoded run replaced for which `judge(run, decoded, decode)` gives a replacement."""
    if "%" in text:
        text = _runs(text, _PERCENT, _percent_decoded, judge)
    if "\\" in text:
        text = _runs(text, _BACKSLASH, _backslashes_decoded, judge)
    if "&" in text:
        text = _runs(text, _ENTITY, _entities_decoded, judge)
    if len(text) >= 16:
        text = _BASE64.sub(partial(_whole, _base64_decoded, judge), text)
        text = _HEX.sub(partial(_whole, _hex_decoded, judge), text)
    return text


def _runs(text: str, mark: re.Pattern[str], decode: Callable[[str], str], judge: Judge) -> str:
    if mark.search(text) is None:
        return text
    judged: dict[str, str] = {}

    def replace(match: re.Match[str]) -> str:
        run = match[0]
        if run not in judged:
            judged[run] = run
            if mark.search(run):
                plain = decode(run)
                judged[run] = run if plain == run else judge(run, plain, decode) or run
        return judged[run]

    return _RUN.sub(replace, text)


def _whole(decode: Callable[[str], str | None], judge: Judge, match: re.Match[str]) -> str:
    plain = decode(match[0])
    return match[0] if plain is None else judge(match[0], plain, decode) or match[0]


def _percent_decoded(run: str) -> str:
    """Decoded, twice where it was encoded twice."""
    from urllib.parse import unquote  # most texts have nothing to decode

    once = unquote(run)
    return unquote(once) if _PERCENT.search(once) else once


def _backslashes_decoded(run: str) -> str:
    return re.sub(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))", lambda m: chr(int(m[1] or m[2], 16)), run)


def _entities_decoded(run: str) -> str:
    import html  # most texts have nothing to decode

    return html.unescape(run)


def _base64_decoded(word: str) -> str | None:
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    import base64

    try:
        raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return _text(raw)


def _hex_decoded(word: str) -> str | None:
    return _text(bytes.fromhex(word))


def _text(raw: bytes) -> str | None:
    """The bytes as text, if they are text that people write."""
    try:
        text = raw.decode("ascii")
    except UnicodeDecodeError:
        return None
    return text if all(" " <= character <= "~" or character in "\r\n\t" for character in text) else None
