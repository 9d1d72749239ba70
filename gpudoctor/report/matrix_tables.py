"""Renders tables of the compatibility matrix as text (80 to 100 columns, or a pipe) and as JSON."""

import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.matrix.types import Row
from gpudoctor.language import wrapping
from gpudoctor.report.output import visible
from gpudoctor.report.terminal import Style

AnyRow = TypeVar("AnyRow", bound=Row)

#: Words up to this length are not broken.
LONGEST_WORD = 16
GAP = "  "
#: Columns in a pipe.
WIDEST = 100
#: Where the columns do not fit otherwise.
NARROW_GAP = " "


class Line(Fact, frozen=True, kw_only=True):
    """A line of a table and the row of the matrix that it shows; None: it sums several up."""

    cells: tuple[str, ...]
    row: Row | None = None
    #: Rows that the line shows, too.
    more: tuple[Row, ...] = ()


class Sheet(Fact, frozen=True, kw_only=True):
    """A table to show."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    #: How to read a cell, for people; below the table.
    legend: str = ""


#: By the title of a column what it shows of a row.
Columns = Mapping[str, Callable[[AnyRow], object]]


def sheet_of(title: str, rows: Iterable[AnyRow], columns: Columns[AnyRow], legend: str = "") -> Sheet:
    """A table with a line for each row."""
    lines = (Line(cells=tuple(cell(show(row)) for show in columns.values()), row=row) for row in rows)
    return Sheet(title=title, columns=tuple(columns), lines=tuple(lines), legend=legend)


def cell(value: object) -> str:
    """A value as a cell: nothing of None, several with spaces between them."""
    if isinstance(value, tuple | list):
        return " ".join(map(str, value))
    return "" if value is None else str(value)


class MatrixPage(Fact, frozen=True, kw_only=True):
    """What `gpudoctor matrix` shows: tables on a subject, of an edition of the matrix."""

    edition: str
    subject: str
    sheets: tuple[Sheet, ...]


class NotKnown(LookupError):
    """The matrix has nothing of that name; `near` are names that it has."""

    def __init__(self, what: str, near: tuple[str, ...] = ()) -> None:
        super().__init__(what)
        self.what = what
        self.near = near


def nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """The names that were probably meant; the first, where none is near."""
    # Imported here: only a slip of the pen needs it.
    from difflib import get_close_matches

    names = list(dict.fromkeys(known))
    return tuple(get_close_matches(word, names, n=3, cutoff=0.3)) or tuple(names[:1])


def notes_sheet(notes: Iterable[tuple[str, str | None]]) -> tuple[Sheet, ...]:
    """What is to be said of rows, once for all that share it: notes are sentences with semicolons between them."""
    shared: dict[str, list[str]] = {}
    for name, text in notes:
        for sentence in filter(None, (text or "").split("; ")):
            shared.setdefault(sentence, []).append(name)
    lines = tuple(Line(cells=(" ".join(dict.fromkeys(names)), text)) for text, names in shared.items())
    return (Sheet(title="Notes", columns=("of", "note"), lines=lines),) if lines else ()


def sheets_json(page: MatrixPage) -> bytes:
    """The rows behind the sheets, whole, each with its source, its date and how sure it is."""
    tables = [
        {"title": sheet.title, "rows": [record for line in sheet.lines for record in _records(sheet, line)]}
        for sheet in page.sheets
        if sheet.lines
    ]
    document = {"edition": page.edition, "subject": page.subject, "tables": tables}
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _records(sheet: Sheet, line: Line) -> list[Any]:
    if line.row is None:
        cells = (int(cell) if cell.isdecimal() else cell for cell in line.cells)
        return [dict(zip(sheet.columns, cells, strict=True))]
    return [
        {
            **msgspec.to_builtins(row, enc_hook=str),
            "source": row.source,
            "checked": row.checked,
            "confidence": row.confidence,
        }
        for row in (line.row, *line.more)
    ]


def sheets_page(page: MatrixPage, style: Style) -> str:
    """The tables for a terminal."""
    return visible(sheets_text(page.sheets, page_width(style), verbose=style.verbosity > 0))


def page_width(style: Style) -> int:
    """Columns to draw tables in: the terminal's; in a pipe, where nothing cuts them off, WIDEST."""
    return WIDEST if style.piped else style.width


def sheets_text(sheets: tuple[Sheet, ...], width: int, *, verbose: bool = False) -> str:
    """The sheets, and below them the sources that their last column numbers: in full if `verbose`."""
    numbers: dict[str, int] = {}
    parts = [_drawn(sheet, width, numbers) for sheet in sheets if sheet.lines]
    if numbers:
        parts.append(_sources(numbers, width, verbose=verbose))
    return "\n".join(parts)


def _drawn(sheet: Sheet, width: int, numbers: dict[str, int]) -> str:
    cited = any(line.row is not None for line in sheet.lines)
    header = (*sheet.columns, "source") if cited else sheet.columns
    lines = ((*line.cells, _number(line.row, numbers)) if cited else line.cells for line in sheet.lines)
    table = _without_empty([header, *lines])
    widths = _widths(table, width)
    gap = GAP if _together(widths, GAP) <= width else NARROW_GAP
    text = [*wrapping.wrap(sheet.title, width), ""]
    for index, cells in enumerate(table):
        text += _wrapped(cells, widths, gap)
        text += [gap.join("-" * one for one in widths)] if index == 0 else []
    text += wrapping.wrap(sheet.legend, width)
    return "\n".join(text) + "\n"


def _together(widths: list[int], gap: str) -> int:
    return sum(widths) + len(gap) * (len(widths) - 1)


def _without_empty(table: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The table without the columns that have a title only."""
    columns = [column for column in zip(*table, strict=True) if any(column[1:])]
    return list(zip(*columns, strict=True))


def _number(row: Row | None, numbers: dict[str, int]) -> str:
    if row is None:
        return ""
    return f"[{numbers.setdefault(f'{row.confidence}, {row.checked}: {row.source}', len(numbers) + 1)}]"


def _widths(table: list[tuple[str, ...]], width: int) -> list[int]:
    """The columns' widths: as wide as they need, the widest made narrower until all fit."""
    columns = list(zip(*table, strict=True))
    widths = [max(map(len, column)) for column in columns]
    least = [
        max(min(len(word), LONGEST_WORD) for cell in column for word in cell.split() or [""]) for column in columns
    ]
    while _together(widths, GAP) > width:
        slack = [size - smallest for size, smallest in zip(widths, least, strict=True)]
        if max(slack) <= 0:
            break
        widest = max((size, index) for index, size in enumerate(widths) if slack[index] > 0)[1]
        widths[widest] -= 1
    return widths


def _wrapped(cells: tuple[str, ...], widths: list[int], gap: str) -> list[str]:
    columns = [
        textwrap.wrap(cell, size, break_on_hyphens=False) or [""] for cell, size in zip(cells, widths, strict=True)
    ]
    height = max(map(len, columns))
    lines = []
    for index in range(height):
        parts = [column[index] if index < len(column) else "" for column in columns]
        lines.append(gap.join(f"{part:<{size}}" for part, size in zip(parts, widths, strict=True)).rstrip())
    return lines


def _sources(numbers: dict[str, int], width: int, *, verbose: bool) -> str:
    lines = ["Sources" if verbose else "Sources (in full with -v)", ""]
    for text, number in numbers.items():
        label = f"[{number}] "
        if verbose:
            lines += wrapping.wrap(label + text, width, later=" " * len(label))
        else:
            whole = label + text
            lines.append(whole if len(whole) <= width else f"{whole[: width - 4].rstrip()} ...")
    return "\n".join(lines) + "\n"
