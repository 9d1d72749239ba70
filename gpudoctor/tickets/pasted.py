"""Cleans pasted text line for line: encoding, colours, Markdown quoting."""

import codecs
from collections.abc import Iterator
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.bounded import BIG, bounded, bounded_lines, without_repeats

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\-_])")
#: What a copied terminal shows of colours where the escape character itself was lost.
_LOST_ANSI = re.compile(r"(?<!\w)\[(?:\d{1,2};)*\d{1,2}m")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u2060\ufeff]")
_TAGS = re.compile(
    r"</?(?:details|summary|pre|code|br|p|b|em|strong|kbd|table|tr|td|th|tbody|h\d|div|span)\b[^<>]{0,80}>", re.I
)
#: What docker compose writes before each line of a service.
_SERVICE = re.compile(r"^[a-z][\w.-]*[-_]\d+\s+\| ?")
_QUOTE = re.compile(r"^(?:\s{0,3}>(?!>>)\s?)+")
#: What a form gives as an example beside its question.
_EXAMPLE = re.compile(r"\((?:e\.g\.|for example|such as)[,:]? [^()\n]{1,80}\)", re.I)
#: A choice of a form that was not taken.
_NOT_TICKED = re.compile(r"^\s{0,8}(?:[-*+]|\d{1,2}\.)\s{1,4}\[\s?\]\s|^\s{0,8}(?:[-*+]\s{1,4})?\u2610")
_EMPTY_LINES = re.compile(r"\n{4,}")
_FENCE = re.compile(r"^\s*(?:```|~~~)[`~]*\s*[\w+.-]*\s*$")
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}\s|\*\*\w)")
_EXPECTED = re.compile(r"[\s#*]*(?:describe )?(?:the |your )?expected (?:behaviou?rs?|results?|outputs?)\b", re.I)
#: A form asks for the browser: where the program runs at a service, the system beside it is the reader's own.
_BROWSER = re.compile(r"^[^\w\n]{0,12}browser[^\w\n]{1,6}\w", re.I | re.M)
_ELSEWHERE = re.compile(
    r"\bsage ?maker\b|\bstudio lab\b|\bcolab\b|\bkaggle\b|\bdatabricks\b|\bpaperspace\b|\brunpod\b|\bvast\.ai\b"
    r"|\bjupyterhub\b|\bgpu instance\b",
    re.I,
)
_OWN_SYSTEM = re.compile(
    r"\W{0,12}(?:OS|operating system|desktop)\W{1,6}(?:windows|mac ?os|win ?\d|linux|ubuntu)", re.IGNORECASE
)
#: A GB 2312 character: both bytes in the upper half, as Latin letters with accents in a row seldom are.
_GB = re.compile(rb"(?:[\xa1-\xf7][\xa1-\xfe])+")


class NotText(ValueError):
    """The bytes are no text; the message says what they look like."""


class Pasted(NamedTuple):
    """A text line by line, plain. Line n of the original is `lines[n - 1]`."""

    lines: tuple[str, ...]
    encoding: str = "utf-8"
    #: Lines that say anything, with those that a big text repeats.
    written: int = 0
    #: The lines that are not empty, by number.
    filled: tuple[tuple[int, str], ...] = ()

    @property
    def text(self) -> str:
        """The whole text, at most two empty lines in a row: an expression may be slow on thousands of them."""
        return _EMPTY_LINES.sub("\n\n\n", "\n".join(self.lines))

    def matches(self, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
        """Each line that the pattern matches from its start, by number from 1."""
        for number, line in self.filled:
            match = pattern.match(line)
            if match:
                yield number, match

    def found(self, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
        """Every place where the pattern is found, with the number of its line."""
        for number, line in self.filled:
            for match in pattern.finditer(line):
                yield number, match


def decode(raw: bytes) -> tuple[str, str]:
    """The text and the encoding it is in. Raises NotText for what is none."""
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return raw.decode(encoding, "replace"), encoding
    wide = _wide(raw)
    if wide:
        return raw.decode(wide, "replace"), wide
    _refuse_binary(raw)
    try:
        return raw.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        # A cut in the middle of a character, or a few bytes of something else, leave it UTF-8.
        if error.start > len(raw) - 4 or (raw.decode("utf-8", "ignore").encode() and _mostly_utf8(raw)):
            return raw.decode("utf-8", "replace"), "utf-8"
    high = sum(byte >= 0x80 for byte in raw)
    paired = sum(len(match.group()) for match in _GB.finditer(raw))
    if paired >= 0.9 * high:
        return raw.decode("gb18030", "replace"), "gb18030"
    return raw.decode("cp1252", "replace"), "cp1252"


def _wide(raw: bytes) -> str | None:
    """UTF-16 without its mark: every other byte of English text is zero."""
    head = raw[:2000]
    if len(head) < 8:
        return None
    if head[1::2].count(0) > 0.6 * len(head[1::2]) and head[::2].count(0) < 0.1 * len(head):
        return "utf-16-le"
    if head[::2].count(0) > 0.6 * len(head[::2]) and head[1::2].count(0) < 0.1 * len(head):
        return "utf-16-be"
    return None


def _mostly_utf8(raw: bytes) -> bool:
    """At most one character in ten beyond ASCII does not decode."""
    text = raw.decode("utf-8", "replace")
    beyond = sum(not char.isascii() for char in text)
    return text.count("\ufffd") * 10 < beyond


def _refuse_binary(raw: bytes) -> None:
    head = raw[:4096] + raw[-4096:]
    controls = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in head)
    if controls > 0.02 * len(head):
        kind = next((what for start, what in _KINDS if raw.startswith(start)), "binary data")
        raise NotText(f"it is {kind}, not text")


_KINDS = (
    (b"\x7fELF", "a program or library"),
    (b"\x89PNG", "a picture (PNG); text can be judged, a screenshot cannot"),
    (b"\xff\xd8\xff", "a picture (JPEG); text can be judged, a screenshot cannot"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"%PDF", "a PDF"),
)


#: Words that somebody made bold within a line; what begins one may be a label.
_STRESSED = re.compile(r"(?<=[\w:,)] )\*\*([^*\n]{1,200})\*\*")


def plain(text: str, encoding: str = "utf-8") -> Pasted:
    """The text without colours, quote marks, fences, HTML tags and their like; its lines keep their numbers."""
    text = text.replace("\r\n", "\n")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if " **" in text:
        text = _STRESSED.sub(r"\1", text)
    lines = _EXAMPLE.sub("", text).replace("\t", "    ").split("\n")
    if "xpected" in text:
        lines = list(_without_wishes(lines))
    if _BROWSER.search(text) and _ELSEWHERE.search(text):
        lines = ["" if _OWN_SYSTEM.match(line) else line for line in lines]
    left_out = 0
    if len(text) > BIG:
        thinned = without_repeats(lines)
        left_out = thinned.count("") - lines.count("")
        lines = thinned
    lines = bounded("\n".join(lines)).split("\n")
    shown = tuple(_line(line) for line in bounded_lines(lines))
    filled = tuple((number, line) for number, line in enumerate(shown, 1) if line)
    return Pasted(shown, encoding, len(filled) + left_out, filled)


def _without_wishes(lines: list[str]) -> Iterator[str]:
    """The lines, but for what stands in a fence below a form's heading for what should have come out."""
    wished = fenced = False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and _HEADING.match(line):
            wished = _EXPECTED.match(line) is not None
        yield "" if wished and fenced else line


def _line(line: str) -> str:
    """A line as the terminal showed it: what a carriage return overwrote is gone."""
    shown = line = line.rstrip()
    if not line:
        return ""
    if "\r" in line:
        line = line.rpartition("\r")[2]
    if not line.isascii() or not line.isprintable():
        line = _CONTROLS.sub("", line.replace("\u2502", "|"))
    if "[" in line and "m" in line:
        line = _LOST_ANSI.sub("", line)
    if "<" in line:
        line = _TAGS.sub("", line)
    if "&" in line:
        # Imported here: few texts hold entities.
        import html

        line = html.unescape(line)
    if " | " in line or line.endswith(" |"):
        line = _SERVICE.sub("", line)
    if ">" in line:
        line = _QUOTE.sub("", line)
    if len(line) < len(shown):
        # What was taken out may have stood within a run.
        line = bounded(line)
    return "" if _says_nothing(line) else line


def _says_nothing(line: str) -> bool:
    """A fence, or a choice that was not taken."""
    fence = ("```" in line or "~~~" in line) and _FENCE.match(line)
    return bool(fence or (("[" in line or "\u2610" in line) and _NOT_TICKED.match(line)))
