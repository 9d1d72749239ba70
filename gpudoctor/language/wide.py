"""Column width, line breaks and joining of text with wide (CJK) characters."""

import re
from collections.abc import Iterator
from unicodedata import combining, east_asian_width

_WIDE = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uff60"
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_WIDE_CHARACTER = re.compile(f"[{_WIDE}]")
#: The number of an item.
_NUMBERED = re.compile(r"^\s*\d+[.)]$")
#: A line breaks at spaces and beside wide characters; never before closing punctuation nor after an opening bracket.
_UNITS = re.compile(rf"[（《“]*(?:[{_WIDE}]|[^\s{_WIDE}]+)[，。；：、）》”！？,.;:)]*|\s+")


def columns(text: str) -> int:
    """The columns that a terminal takes for a text without escapes."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def is_wide(text: str) -> bool:
    """Whether there is a wide character in it."""
    return _WIDE_CHARACTER.search(text) is not None


def joined(left: str, right: str) -> str:
    """Two pieces as one text: a space between Chinese and Latin letters or digits, none between Chinese."""
    if not left or not right:
        return left + right
    before, after = left.rstrip(" "), right.lstrip(" ")
    if not before or not after:
        return left + right
    wide_before, wide_after = _WIDE_CHARACTER.match(before[-1]), _WIDE_CHARACTER.match(after[0])
    if _NUMBERED.search(before):
        return f"{before} {after}"
    if wide_before and wide_after:
        return before + after
    if _IDEOGRAPH.match(before[-1]):
        return before + (" " if after[0].isalnum() or after[0] in "\"'`<-/$~" else "") + after
    if _IDEOGRAPH.match(after[0]):
        return before + (" " if before[-1].isalnum() or before[-1] in "\"'`>%)+" else "") + after
    return before + after if wide_before or wide_after else left + right


def wrapped(text: str, width: int, hang: str) -> Iterator[str]:
    """The text in lines of at most `width` columns, the later ones behind `hang`. A word that is longer stays whole."""
    line = ""
    for unit in _UNITS.findall(text):
        if line.strip() and columns(line) + columns(unit.rstrip()) > width:
            yield line.rstrip()
            line = hang + unit.lstrip()
        else:
            line += unit
    if line.strip():
        yield line.rstrip()
