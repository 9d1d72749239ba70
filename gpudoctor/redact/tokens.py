"""Finds tokens by the published shape of a service's tokens: prefix, alphabet, length. Data in tokens.json.

A shape is written as `ghp_<a12+36>`: the text, then 12 or more characters of the alphabet `a`, usually 36; `<x32>` are
exactly 32. So a row is pattern and example at once, and holds nothing that a scanner of secrets could stop on.
"""

import os
from collections.abc import Iterator
from functools import cache, cached_property

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.typed_json import decode_json

#: The alphabets of shapes.
ALPHABETS = {
    "a": "A-Za-z0-9", "l": "a-z0-9", "U": "A-Z0-9", "d": "0-9", "x": "0-9a-f", "X": "0-9A-Fa-f", "_": "A-Za-z0-9_",
    "w": "A-Za-z0-9_-", "s": "A-Za-z0-9_.-", "t": "A-Za-z0-9_.~-", "W": "A-Za-z0-9_=-", "b": "A-Za-z0-9+/=",
    "E": "A-Za-z0-9+/=_-",
}  # fmt: skip
PART = re.compile(r"<(?P<alphabet>[A-Za-z_])(?P<least>\d+)(?:\+(?P<usual>\d+))?>")

#: What a word begins with: the key of the shapes that it may have.
_STARTS = re.compile(r"(?<![A-Za-z0-9])(?=([A-Za-z0-9][\w./~:+-]{2}))")
#: Names that people give: words and short numbers between dashes.
_WORD = r"(?:[a-z]{1,14}|[A-Z]{1,14}|[A-Z][a-z]{1,13}|\d{1,4})"
_NAME = re.compile(rf"{_WORD}(?:[-_./]+{_WORD})*[-_./]*")
#: More characters than that, between two fixed parts, no token has.
_MOST = 400


class TokenKind(msgspec.Struct, frozen=True):
    """A row of tokens.json; `unlike` is what the shapes must not be mistaken for."""

    kind: str
    shapes: tuple[str, ...]
    unlike: str
    source: str


class _Tokens(msgspec.Struct, frozen=True):
    sources: dict[str, str]
    tokens: tuple[TokenKind, ...]


class _Shape:
    """One shape, compiled when a text first has its beginning."""

    def __init__(self, kind: str, shape: str) -> None:
        self.kind = kind
        self.shape = shape
        self._regex: re.Pattern[str] | None = None

    @cached_property
    def literal(self) -> str:
        """The longest of its fixed texts, without which there is no match."""
        return max(PART.sub("\0", self.shape).split("\0"), key=len)

    def match(self, text: str, at: int) -> int | None:
        """Where a token that begins at `at` ends; None where there is none."""
        if self._regex is None:
            self._regex = re.compile(_pattern(self.shape))
        found = self._regex.match(text, at)
        is_exact = "+" not in self.shape.rpartition("<")[2]
        if found is None or (not is_exact and is_name(found["variable"])):
            return None
        return found.end()


def _pattern(shape: str) -> str:
    parts, at, last = [], 0, None
    for part in PART.finditer(shape):
        last = ALPHABETS[part["alphabet"]]
        is_end = part.end() == len(shape)
        many = f"{part['least']}" if part["usual"] is None else f"{part['least']},{'' if is_end else _MOST}"
        parts.append(re.escape(shape[at : part.start()]) + ("(?P<variable>" if not at else ""))
        parts.append(f"[{last}]{{{many}}}")
        at = part.end()
    exact = PART.fullmatch(shape[shape.rindex("<") :])
    closed = f"(?![{last}])" if exact and exact["usual"] is None else ""
    return "".join(parts) + re.escape(shape[at:]) + ")" + closed


def is_name(text: str) -> bool:
    """Words and short numbers, as people name things; tokens are drawn at random."""
    return _NAME.fullmatch(text) is not None


def token_kinds() -> tuple[TokenKind, ...]:
    """Every row."""
    return _data().tokens


@cache
def _data() -> _Tokens:
    with open(os.path.join(os.path.dirname(__file__), "tokens.json"), "rb") as stream:
        return decode_json(stream.read(), type=_Tokens)


@cache
def _index() -> tuple[dict[str, tuple[_Shape, ...]], tuple[_Shape, ...]]:
    """The shapes by their first three characters; and those that begin with something variable."""
    by_start: dict[str, list[_Shape]] = {}
    others = []
    for row in _data().tokens:
        for text in row.shapes:
            shape = _Shape(row.kind, text)
            starts = _three_characters(text)
            for start in starts:
                by_start.setdefault(start, []).append(shape)
            if not starts:
                others.append(shape)
    return {start: tuple(shapes) for start, shapes in by_start.items()}, tuple(others)


def _three_characters(shape: str) -> tuple[str, ...]:
    start = shape.partition("<")[0][:3]
    if len(start) != 2:
        return (start,) if len(start) == 3 else ()
    part = PART.search(shape)
    follow = re.compile(f"[{ALPHABETS[part['alphabet']]}]") if part else None
    return tuple(start + chr(code) for code in range(33, 127) if follow and follow.match(chr(code)))


def tokens_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each token, in the order of the text; they do not overlap."""
    by_start, others = _index()
    found = []
    if not by_start.keys().isdisjoint(_STARTS.findall(text)):
        for start in _STARTS.finditer(text):
            for shape in by_start.get(start[1], ()):
                end = shape.match(text, start.start())
                if end is not None:
                    found.append((start.start(), end, shape.kind))
    for shape in others:
        if shape.literal in text:
            found.extend(_with_literal(text, shape))
    last = 0
    for begin, end, kind in sorted(found, key=lambda one: (one[0], -one[1])):
        if end > last:
            yield max(begin, last), end, kind
            last = end


def _with_literal(text: str, shape: _Shape) -> Iterator[tuple[int, int, str]]:
    """A token whose fixed text is not at its beginning: looked for in the word around it."""
    before = shape.shape.index(shape.literal)
    longest = sum(int(part["usual"] or part["least"]) for part in PART.finditer(shape.shape[:before])) + before
    at = text.find(shape.literal)
    while at >= 0:
        for begin in range(max(0, at - longest), at):
            if begin == 0 or not text[begin - 1].isalnum():
                end = shape.match(text, begin)
                if end is not None and end > at:
                    yield begin, end, shape.kind
                    break
        at = text.find(shape.literal, at + 1)
