"""Labels with values in the layouts people use: "Label: value", headings, Markdown tables, YAML."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.tables import words_of

#: What is asked for beside the fact, and read by nobody.
_BESIDE = frozenset((
    *("memory", "vram", "ram", "configuration", "architecture", "arch", "number", "count", ""),
    *("environment", "speicher", "显存", "内存", "数量"),
))  # fmt: skip
_BYWORDS = frozenset((
    *("version", "versions", "ver", "release", "name", "names", "model", "models", "type", "types", "info", "details"),
    *("information", "detail", "installed", "used", "using", "my", "the", "your", "our", "of", "current", "number"),
    *("no", "nr", "exact", "running", "which", "what", "is", "are", "you", "modell", "typ", "von", "des", "die"),
    *("or", "commit", "id", "two", "both", "uname"),
    *("der", "das", "mein", "meine", "verwendete", "verwendeter", "verwendetes", "installierte", "installierter"),
    *("installiertes", "genutzte", "benutzte", "aktuelle", "versionsnummer", "modellname", "bezeichnung"),
))  # fmt: skip
_BYWORDS_HAN = re.compile("版本号|版本|型号|信息|名称|类型|使用的|安装的|当前|您的|我的|你的|的")
_COMPOUND = re.compile(r"(?<=\w{3})(?:version|versionen|modell|typ|name)$")
_NOTE = re.compile(r"[((（][^()（）]{0,60}[)）]?|\[[^\[\]]{0,60}\]")
_AND = re.compile(r"[/,&+、]|\b(?:and|und|with|mit)\b|[和及与]")
_HAN = re.compile(r"([\u4e00-\u9fff]+)")
#: Labels are short.
LONGEST = 64


@lru_cache(maxsize=4096)
def kinds_of(label: str) -> tuple[str, ...]:
    """The kinds that it asks for, in its order, "" for what stands beside; none if it asks for anything else."""
    if not 1 < len(label) <= LONGEST:
        return ()
    words = _NOTE.sub(" ", label.lower()).strip(" *_`\"'?？:：#")
    kinds = dict.fromkeys(_kind(part) for part in _AND.split(words.replace("_", " ").replace("-", " ")))
    return tuple(kinds) if None not in kinds and any(kinds) else ()  # type: ignore[arg-type]


def _kind(part: str) -> str | None:
    tokens = (_COMPOUND.sub("", token) for token in (part if part.isascii() else _HAN.sub(_spaced, part)).split())
    noun = " ".join(token for token in tokens if token not in _BYWORDS)
    return "" if noun in _BESIDE else _kinds().get(noun)


@cache
def _kinds() -> dict[str, str]:
    """What is left of a label without its by-words: the kind of fact."""
    return {noun: kind for kind, nouns in words_of("sources/label_kinds").items() for noun in nouns}


def _spaced(match: re.Match[str]) -> str:
    return f" {_BYWORDS_HAN.sub('', match[1])} "


_BULLET = re.compile(r"^\s*(?:[-+•·*]\s*(?=[\w\"'`*（(])|\d{1,2}[.)、]\s*(?!\d)|>\s*)?")
_HEADING = re.compile(r"^\s*#{1,6}\s*(?=\S)")
_BOLD = re.compile(r"^\s*\*\*[^*]{1,60}\*\*\s*$")
_MARK = re.compile(r"[:：]|={1,2}|\s[-–—]\s")
#: Names and values in two columns.
_COLUMNS = re.compile(r"(?<=\w) {4,}(?=\S)")
_RULER = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*){1,20}\|?\s*$")
_SEVERAL = re.compile(r"[,;，；|]\s*")
#: Columns of a table that do not tell of this machine.
_ELSEWHERE = re.compile(
    r"requir|recommend|expect|minimum|latest|tested|supported|needed|works|working|empfohlen|benötigt|要求|推荐|最低",
    re.I,
)
#: Names under a label that add nothing to it, as YAML nests them.
_WITHIN = frozenset(("name", "model", "version", "type", "distribution", "distro", "release", "modell", "型号", "版本"))
#: Lines under a heading that are its value, at most; blank ones before them.
_MOST, _BLANK = 16, 3


class Labelled(NamedTuple):
    """One value under its label; `lines` from 1, `rows` the value line by line."""

    label: str
    rows: tuple[str, ...]
    line: int

    @property
    def value(self) -> str:
        """Its first line."""
        return self.rows[0]


def labelled(lines: Sequence[str], known: Callable[[str], object]) -> Iterator[Labelled]:
    """Every value of the lines whose label is `known`."""
    head: list[str] | None = None
    for number, line in enumerate(lines, 1):
        if "|" in line:
            if _RULER.match(line):
                head = _cells(lines[number - 2]) if number > 1 else None
                continue
            if head is not None or line.lstrip().startswith("|"):
                ruled = number < len(lines) and bool(_RULER.match(lines[number]))
                yield from () if ruled else _row(_cells(line), head, number, known)
                continue
        else:
            head = None
        if line:
            yield from _line(lines, number, line, known)


def _cells(line: str) -> list[str]:
    return [_bare(cell) for cell in line.strip().strip("|").split("|")][:40]


def _row(cells: list[str], head: list[str] | None, number: int, known: Callable[[str], object]) -> Iterator[Labelled]:
    """A row of a table: under names in its head, or a name with its values."""
    columns = head if head and sum(bool(known(name)) for name in head) > 1 else None
    if columns:
        pairs = list(zip(columns, cells, strict=False))
    else:
        names = head or [""] * len(cells)
        pairs = [
            (cells[0], value) for name, value in zip(names[1:], cells[1:], strict=False) if not _ELSEWHERE.search(name)
        ]
    yield from (Labelled(label, (value,), number) for label, value in pairs if value and known(label))


def _line(lines: Sequence[str], number: int, line: str, known: Callable[[str], object]) -> Iterator[Labelled]:
    heading = _HEADING.match(line)
    body = line[heading.end() :] if heading else line[_BULLET.match(line).end() :]  # type: ignore[union-attr]
    label, value = _pair(body)
    if value and known(label):
        several = list(_several(body, known)) if _SEVERAL.search(value) else []
        if len(several) > 1:
            yield from (Labelled(name, (said,), number) for name, said in several)
        else:
            yield Labelled(label, (value,), number)
    elif (
        not value
        and (heading or label != body.strip() or _BOLD.match(line) or _stands_alone(lines, number))
        and known(label)
    ):
        rows = _below(lines, number, headed=bool(heading) or label == body.strip(" *_`"), known=known)
        if rows:
            yield Labelled(label, tuple(rows.values()), next(iter(rows)))
    elif _SEVERAL.search(body[: 4 * LONGEST]):
        # "My machine: OS: Ubuntu, GPU: ...", where the first name is none.
        several = list(_several(body, known))
        if len(several) > 1:
            yield from (Labelled(name, (said,), number) for name, said in several)


def _stands_alone(lines: Sequence[str], number: int) -> bool:
    """A line between blank ones, as a form's headings are copied from its page."""
    before, after = lines[max(number - 2, 0)] if number > 1 else "", lines[number : number + 1]
    return not before.strip() and bool(after) and not after[0].strip()


def _pair(text: str) -> tuple[str, str]:
    """The label and the value, without what marks them; no value where nothing parts them."""
    mark = _MARK.search(text, 0, LONGEST + 20) or _COLUMNS.search(text, 0, LONGEST + 20)
    if mark is None:
        return _bare(text[: LONGEST + 20]), ""
    return _bare(text[: mark.start()]), _bare(text[mark.end() :])


def _bare(text: str) -> str:
    text = text.strip().strip("*_` ")
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _several(text: str, known: Callable[[str], object]) -> Iterator[tuple[str, str]]:
    for part in _SEVERAL.split(text[:600]):
        label, value = _pair(part)
        if value and known(label):
            yield label, value


def _below(lines: Sequence[str], number: int, *, headed: bool, known: Callable[[str], object]) -> dict[int, str]:
    """The value under a label, by line: under a heading up to a blank line, else what is set in or has a bullet."""
    rows: dict[int, str] = {}
    for later, line in enumerate(lines[number : number + _MOST], number + 1):
        if not line.strip():
            if rows or later - number > _BLANK:
                break
            continue
        begin = _BULLET.match(line).end()  # type: ignore[union-attr]
        if _HEADING.match(line) or _BOLD.match(line) or (not headed and not line[:begin]):
            break
        label, value = _pair(line[begin:])
        if value and known(label):
            break
        rows[later] = value if value and label.lower() in _WITHIN else _bare(line[begin:])
    return rows
