"""Shortens text before regular expressions run on it: long runs, numbers and lines, so that matching stays fast.

An expression with two repeats side by side takes quadratic time, with three cubic, in the length of what both match.
Texts that people send hold rows of blanks, stars and digits, by accident or not; nothing known needs them whole.
"""

from collections.abc import Iterable, Iterator, Sequence

from gpudoctor.facts import lazy_re as re

#: The same character in a row, of which no more is kept: the widest gap of a table, and no more of a ruler.
RUN = 60
#: Digits of the longest number that is read; what is longer is no number of anything, and is not seen.
DIGITS = 18
#: Characters of a line; and of all lines together that may be longer than LONG, before they are cut there, too.
LONGEST, LONG, LONG_ALTOGETHER = 4000, 500, 20_000

#: Of lines that differ in their numbers only, so many are kept of a text of more characters than BIG.
BIG, ALIKE = 200_000, 20
#: Digits, and what progress bars are drawn with: lines that differ in these only say the same.
_COUNTING = b"0123456789 .#=>"

_RUN = re.compile(rf"([^\n])\1{{{RUN}}}\1*")
_DIGITS = re.compile(rf"\d{{{DIGITS + 1}}}")
_NUMBER = re.compile(rf"(?<![0-9A-Za-z])\d{{{DIGITS + 1},}}(?![0-9A-Za-z])|\d{{{DIGITS + 18},}}")
#: What Unicode calls a blank (White_Space in its PropList.txt), but for the line breaks.
_BLANKS = dict.fromkeys((0x09, 0x1F, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")


def bounded(text: str) -> str:
    """The text with every blank plain, its long runs and numbers shortened; its lines stay its lines."""
    if not text.isascii() or "\t" in text or "\x1f" in text:
        text = text.translate(_BLANKS)
    text = _RUN.sub(lambda match: match[1] * RUN, text)
    return _NUMBER.sub("\u2026", text) if _DIGITS.search(text) else text


def bounded_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines, cut where they are too long: the first few later, those of a text of long lines earlier."""
    left = LONG_ALTOGETHER
    for line in lines:
        if len(line) > LONG:
            most = min(LONGEST, LONG + left)
            left -= min(len(line), most) - LONG
            yield line if len(line) <= most else _beginning(line, most)
        else:
            yield line


def _beginning(line: str, most: int) -> str:
    """The first characters of a line, up to the end of a word: half of a token would not be known as one.

    Where a private key begins in what is left out, that is kept: the lines that follow are the key's.
    """
    end = max(line.rfind(mark, most // 2, most) for mark in " ;,|")
    begin = line.rfind("-----BEGIN", most)
    key = line[begin : begin + 80] if begin >= 0 and line.find("-----END", begin) < 0 else ""
    return line[: end if end > 0 else most] + key


def without_repeats(lines: Sequence[str]) -> list[str]:
    """The lines, those that only count on from earlier ones empty: each keeps its number."""
    shapes = "\n".join(lines).encode("utf-8", "surrogatepass").translate(None, _COUNTING).split(b"\n")
    times: dict[bytes, int] = {}
    kept = []
    for line, shape in zip(lines, shapes, strict=True):
        times[shape] = count = times.get(shape, 0) + 1
        kept.append(line if count <= ALIKE else "")
    return kept
