"""Removes credentials from text: encoded ones first, then by place (options, headers), then by shape.

Every expression is bounded, so that the time grows with the text and not with its square.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.codec import from_plain, to_plain

#: What stands where a credential was.
REMOVED = "***"

#: A shorter text is remembered: a report says much of it several times.
_SHORT = 400
#: A text without any of these holds no credential: a sign, or a run of token characters.
_SIGNS = re.compile(
    r"[=:@%&\\\uff1a]|\S{14}|</|(?<![A-Za-z0-9])-\w|-----B|\$\d|codes?\b|\b(?i:bearer|basic|password)\s"
)
#: More lines than that are no command that goes on and on.
_MOST_LINES = 200
_CONTINUATION = re.compile(r"\\\r?\n[ \t]*")
_BREAK = re.compile(r"(?<=[\w+/=~.-])\r?\n[ \t]{0,20}(?=[\w+/=~.-])")


def without_credentials(text: str) -> str:
    """`text` with every credential of a known shape, or in a telling place, replaced."""
    return credentials_removed(text)[0]


def credentials_removed(text: str) -> tuple[str, dict[str, int]]:
    """The text without credentials, and how many of each kind were taken out."""
    if len(text) <= _SHORT:
        cleaned, kinds = _remembered(text)
    else:
        cleaned, kinds = _removed(text)
    return cleaned, {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def excerpt(text: str, most: int) -> str:
    """The first `most` characters of the text without credentials: taken out first, cut afterwards.

    Of a text far longer than that only a beginning is looked at.
    """
    text = without_credentials(beginning(text, most))
    return text if len(text) <= most else text[: most - 1] + "…"


def beginning(text: str, most: int) -> str:
    """As much of a text as decides what its first `most` characters are, up to a blank or a separator."""
    looked_at = 2 * most + 2000
    if len(text) <= looked_at:
        return text
    end = max(text.rfind(mark, most, looked_at) for mark in " \n\t:;,|")
    return text[: end if end > 0 else looked_at]


def _removed(text: str) -> tuple[str, tuple[str, ...]]:
    if _SIGNS.search(text) is None:
        return text, ()
    # Imported here: many texts hold nothing of the kind, and a static check should not pay for the tables.
    from gpudoctor.redact.encoded import decoded_replaced

    kinds: list[str] = []

    def judge(run: str, plain: str, decode: Callable[[str], str | None]) -> str | None:
        hidden: list[str] = []
        cleaned = _plainly_removed(plain, hidden.append)
        if not hidden or decode(_plainly_removed(run, lambda _kind: None)) == cleaned:
            return None
        kinds.append("encoded")
        return REMOVED

    text = decoded_replaced(text, judge)
    if "\n" in text:
        text = _joined_removed(text, kinds.append)
    return _plainly_removed(text, kinds.append), tuple(kinds)


_remembered = lru_cache(maxsize=4096)(_removed)


def _plainly_removed(text: str, count: Callable[[str], None]) -> str:
    from gpudoctor.redact.places import without_placed
    from gpudoctor.redact.tokens import tokens_in

    text = without_placed(text, REMOVED, count)
    parts, at = [], 0
    for start, end, kind in tokens_in(text):
        count(kind)
        parts += [text[at:start], REMOVED]
        at = end
    return "".join(parts) + text[at:] if parts else text


def _joined_removed(text: str, count: Callable[[str], None]) -> str:
    """The text without credentials that lines break: continued with a backslash, or wrapped at some width."""
    if "\\\n" in text or "\\\r\n" in text:
        text = "\n".join(_continued_removed(lines, count) for lines in _commands(text))
    return _unwrapped_removed(text, count)


def _commands(text: str) -> Iterator[str]:
    """The lines of a text, with those that they are continued in."""
    begun: list[str] = []
    for line in text.split("\n"):
        begun.append(line)
        if not line.endswith(("\\", "\\\r")) or len(begun) == _MOST_LINES:
            yield "\n".join(begun)
            begun = []
    if begun:
        yield "\n".join(begun)


def _continued_removed(lines: str, count: Callable[[str], None]) -> str:
    whole = _CONTINUATION.sub("", lines)
    found: list[str] = []
    if whole != lines:
        cleaned = _plainly_removed(whole, found.append)
        if found and _CONTINUATION.sub("", _plainly_removed(lines, lambda _kind: None)) != cleaned:
            for kind in found:
                count(kind)
            return cleaned
    return lines


def _unwrapped_removed(text: str, count: Callable[[str], None]) -> str:
    """The text without the tokens that reach over the end of a line. A word of prose in the next line is none of it."""
    from gpudoctor.redact.tokens import is_name, tokens_in

    pieces, breaks, at, length = [], [], 0, 0
    for found in _BREAK.finditer(text):
        pieces.append(text[at : found.start()])
        length += found.start() - at
        at = found.end()
        breaks.append((length, found.end() - found.start()))
    if not breaks:
        return text
    pieces.append(text[at:])
    joined = "".join(pieces)
    parts, at, shift, number = [], 0, 0, 0
    for start, end, kind in tokens_in(joined):
        while number < len(breaks) and breaks[number][0] <= start:
            shift += breaks[number][1]
            number += 1
        inside = [one for one in breaks[number : number + _MOST_LINES] if one[0] < end]
        while inside and is_name(joined[inside[-1][0] : end]):
            end = inside.pop()[0]  # noqa: PLW2901 - the token ends in the line before
        if inside:
            count(kind)
            parts += [text[at : start + shift], REMOVED]
            at = end + shift + sum(size for _, size in inside)
    return "".join(parts) + text[at:] if parts else text


_F = TypeVar("_F", bound=Fact)


def fact_without_credentials(fact: _F) -> _F:
    """The fact with every text of it cleaned; by text, before it is wrapped or joined with others."""
    plain = to_plain(fact)
    passed = _passed(plain)
    return fact if passed == plain else from_plain(passed, type(fact))


def _passed(value: Any) -> Any:
    if isinstance(value, str):
        return without_credentials(value)
    if isinstance(value, dict):
        return {key: _passed(item) for key, item in value.items()}
    # Of the same type: what holds no credential is equal, and need not be made anew.
    return type(value)(_passed(item) for item in value) if isinstance(value, list | tuple) else value
