"""The MCP tool `look_up`: rows of the compatibility matrix, known faults, recipes."""

from importlib import import_module
from typing import Annotated, Literal

from msgspec import Meta

from gpudoctor.assist.quoting import Quoting, cut, named, printable
from gpudoctor.assist.tool import CannotAnswer, Session, Short, Takes, Tool
from gpudoctor.cli.matrix import SUBJECTS
from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.look_up import look_up as questions
from gpudoctor.look_up.answer import Found
from gpudoctor.report.matrix_tables import NotKnown, Sheet

#: Rows of a table, tables or entries, and characters of a cell.
_ROWS, _SHEETS, _CELL = 12, 4, 120


class Subject(Takes, frozen=True, kw_only=True):
    """What to look up."""

    what: Annotated[
        str | None,
        Meta(
            description="A wheel's file name, an undefined symbol, a library and its version "
            "(nvidia-cudnn-cu11 8.5.0.96), a release, for its date and known faults (torch 1.13.1), or a recipe: "
            "container-toolkit, fabric-manager, cuda-cudnn-conda, wsl2, driver-clean, caches; with a distribution."
        ),
    ] = None
    subject: Annotated[
        Literal["torch", "tensorflow", "jax", "keras", "cuda", "driver", "gpu", "cudnn"] | None,
        Meta(description="A table of the matrix, where `what` is not given."),
    ] = None
    which: Annotated[
        str | None, Meta(description="A release or a name: 2.6.0, 12.4, 535, 'RTX 3090'. Without it, the newest rows.")
    ] = None
    start: Annotated[int, Meta(description="The first row to show.")] = 0


class Table(Fact, frozen=True, kw_only=True):
    """A table of the matrix, or a part of it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    #: All rows that there are.
    of: int
    #: Where its rows are from.
    sources: tuple[str, ...] = ()


class Entry(Fact, frozen=True, kw_only=True):
    """What the tables say to a question; what holds words of the question is quoted."""

    kind: str
    subject: str
    says: tuple[str, ...] = ()
    rows: dict[str, str] = {}
    commands: tuple[str, ...] = ()
    source: str = ""
    checked: str = ""


class LookedUp(Fact, frozen=True, kw_only=True):
    """What the matrix knows."""

    matrix_edition: str
    entries: tuple[Entry, ...] = ()
    tables: tuple[Table, ...] = ()


def look_up(asked: Subject, session: Session) -> LookedUp:
    """The entries or rows. Raises CannotAnswer."""
    if (asked.what is None) == (asked.subject is None):
        raise CannotAnswer("Give either what or subject.")
    return _entries(asked.what, session) if asked.what is not None else _tables(asked, session)


def _entries(what: str, session: Session) -> LookedUp:
    matrix, quoting = load_matrix(), session.quoting()
    looked = questions.look_up(what, matrix)
    if not looked.found:
        near = f" Near it: {', '.join(looked.near)}." if looked.near else ""
        raise CannotAnswer(f"{named(what, 80)} is not in the tables, which does not mean that there is none.{near}")
    return LookedUp(
        matrix_edition=matrix.edition, entries=tuple(_entry(one, quoting) for one in looked.found[:_SHEETS])
    )


def _entry(one: Found, quoting: Quoting) -> Entry:
    commands = (quoting.command(line) for line in one.commands)
    return Entry(
        kind=one.kind,
        subject=quoting.text(one.subject, _CELL),
        says=tuple(quoting.text(sentence, 400) for sentence in one.says),
        rows={row.name: quoting.text(row.value, 400) for row in one.rows[:_ROWS]},
        commands=tuple(line for line in commands if line),
        source=one.source,
        checked=one.checked,
    )


def _tables(asked: Subject, session: Session) -> LookedUp:
    module, function, *_ = SUBJECTS[asked.subject or ""]
    matrix = load_matrix()
    sheets = getattr(import_module(f"gpudoctor.report.matrix_tables_{module}"), function)
    try:
        found: tuple[Sheet, ...] = sheets(matrix, asked.which)
    except NotKnown as error:
        near = f" Known: {', '.join(error.near[:5])}." if error.near else ""
        raise CannotAnswer(f"The matrix knows no {session.quoting().text(error.what, 80)}.{near}") from None
    start = max(0, asked.start)
    return LookedUp(matrix_edition=matrix.edition, tables=tuple(_table(one, start) for one in found[:_SHEETS]))


def _table(sheet: Sheet, start: int) -> Table:
    shown = sheet.lines[start : start + _ROWS]
    return Table(
        title=sheet.title,
        columns=sheet.columns,
        rows=tuple(tuple(cut(printable(cell), _CELL) for cell in line.cells) for line in shown),
        of=len(sheet.lines),
        sources=tuple(dict.fromkeys(line.row.source for line in shown if line.row is not None))[:3],
    )


def _short(found: LookedUp) -> Short:
    dated = f"matrix of {found.matrix_edition}"
    if found.entries:
        first = found.entries[0]
        rows = "; ".join(f"{name} {value}" for name, value in first.rows.items())
        return Short(
            verdict=next(iter(first.says), "") or f"{first.kind}: {first.subject}",
            command=first.commands[0] if first.commands else None,
            because=rows or None,
            sure=dated,
        )
    first_table = next((one for one in found.tables if one.rows), None)
    cells = zip(first_table.columns, first_table.rows[0], strict=False) if first_table else ()
    return Short(verdict="; ".join(f"{name} {cell}" for name, cell in cells if cell) or "nothing", sure=dated)


LOOK_UP = Tool(
    name="look_up",
    title="Look up what is known",
    about="What the tables know, with sources: what a wheel's name or an undefined symbol means, who ships a version "
    "of a library, known faults of a release, recipes that end with a test; or rows of the matrix: releases and "
    "builds, a GPU's compute capability and driver branches, the driver that a CUDA version needs, cuDNN.",
    takes=Subject,
    gives=LookedUp,
    run=look_up,
    short=_short,
    deadline=20,
)
