"""Alternative readings of a text, without damage from pasting, Markdown, HTML or terminals.

A known message stands in a line as a program printed it, or in one of these readings of it. What is quoted is the line.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re

#: Characters of a text in which lines are joined; a longer one is a log, whose lines are whole.
_LONGEST = 100_000
#: Characters of other readings that are made of one text.
_MOST = 500_000

_MARKS = re.compile(r"[*`\\&\u00ad\u2018-\u201f\u200b-\u200f\u2060\ufeff]|\S {2,}\S|''")
_GONE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]|\*{2,3}|`+")
_STRESSED = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,200})(?<=[^\s*])\*(?![\w*])")
#: What JSON, shells and Markdown put before a sign.
_ESCAPED = re.compile(r"\\([\"'`_*\[\](){}<>#.!~|+-])")
_BREAK = re.compile(r"\\[rnt](?![a-z]{2,}[\\/])")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'"}) | str.maketrans(
    {"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"'}
)
_BLANKS = re.compile(r"(?<=\S) {2,}(?=\S)")
#: More gaps than a line of words has by accident: the columns of a table.
_COLUMNS = 3


class Reading(NamedTuple):
    """Another reading of what begins at `start`: its words, how the text itself has it, and where lines were joined."""

    start: int
    words: str
    told: str
    joint: int | None = None


def plain_words(line: str) -> str:
    """The line without Markdown's signs, HTML's entities, escapes, curly quotes and runs of blanks."""
    if "&" in line:
        import html  # few texts hold entities

        line = html.unescape(html.unescape(line))
    if "\\" in line:
        line = _BREAK.sub(" ", _ESCAPED.sub(r"\1", line))
    if not line.isascii():
        line = line.translate(_QUOTES)
    line = _STRESSED.sub(r"\1", _GONE.sub("", line).replace("''", '"')).strip()
    is_table = line.startswith("|") or len(_BLANKS.findall(line)) >= _COLUMNS
    return line if is_table else _BLANKS.sub(" ", line)


def other_readings(text: str) -> Iterator[Reading]:
    """Those of a text that differ from it; of a big one, those of the first lines that differ."""
    lines = text.split("\n")
    starts = _starts(lines)
    left = _MOST
    for start, line in zip(starts, lines, strict=True):
        if line and _MARKS.search(line):
            words = plain_words(line)
            left -= len(words)
            if left < 0:
                return
            if words != line.strip():
                yield Reading(start, words, line)
    if len(text) <= _LONGEST:
        for number, glue in _wrapped(lines):
            first, second = lines[number].rstrip(), lines[number + 1].strip()
            before = plain_words(first)
            told = f"{first.strip()}{glue}{second}"
            yield Reading(starts[number], f"{before}{glue}{plain_words(second)}", told, len(before))


def _starts(lines: list[str]) -> list[int]:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    return starts


#: Widths of terminals, and the shortest one that is told by lines that end there.
_WIDTHS, _NARROW = frozenset((80, 100, 120, 132, 160, 200)), 60
#: Lines of sentences are no shorter, where they were wrapped.
_SHORT = 40
#: What begins a line of its own.
_BEGINS = re.compile(
    r"\s*(?:File \"|at |\d{4}-\d\d-\d\d|\d\d:\d\d|[IWEF]\d{4} |[-*+\[$#>|=]|\d{1,3}[.)] |\w+(?:Error|Warning)?:)"
)
#: What goes on in the next line: no sentence or list that ends, and a plain word.
_OPEN, _GOES_ON = re.compile(r"[\w,'\"`)]$"), re.compile(r"[a-z][a-z'-]*[,.;)`\"']{0,2}(?: |$)")


def _wrapped(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines that a terminal or an editor broke, by number, and what stood where they were broken."""
    times = Counter(len(line) for line in lines if len(line) >= _NARROW)
    for number, (line, after) in enumerate(pairwise(lines)):
        if len(line) < _SHORT or not after.strip() or line.endswith(("|", "+")) or _BEGINS.match(after):
            continue
        width = len(line)
        longest = max(len(one) for one in lines[max(0, number - 20) : number + 20])
        if width == longest and (width in _WIDTHS or (width >= _NARROW and times[width] > 1)):
            yield number, ""
            yield number, " "
        elif _OPEN.search(line) and _GOES_ON.match(after.lstrip()) and _indent(after) <= _indent(line):
            yield number, " "


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
