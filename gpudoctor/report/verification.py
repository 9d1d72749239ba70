"""Renders the outcome of `matrix verify` as text and JSON."""

from collections.abc import Iterator

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.index.claims import Claim
from gpudoctor.index.verify import Verification
from gpudoctor.language import wrapping
from gpudoctor.report.matrix_tables import page_width
from gpudoctor.report.terminal import Style

_COLUMNS = ("table", "rows compared", "confirmed", "wrong", "missing")
#: Of all facts in the tables.
_FACTS = ("table", "facts confirmed", "contradicted", "not confirmable")


class IndexComparison(Fact, frozen=True, kw_only=True):
    """What `gpudoctor matrix verify` says: the outcome, of which indexes, and what names them."""

    found: Verification
    places: tuple[str, ...]
    named_by: str


def verification_json(compared: IndexComparison) -> bytes:
    """The outcome as JSON."""
    found = compared.found
    document = {
        "edition": found.edition,
        "index": list(compared.places),
        "named_by": compared.named_by,
        "agrees": found.agrees,
        "packages": found.packages,
        "releases": found.releases,
        "not_on_the_index": list(found.absent),
        "wheels_read": found.read_wheels,
        "tables": list(found.tables),
        "wrong": list(found.wrong),
        "missing": list(found.missing),
        "lacking": list(found.lacking),
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def verification_text(compared: IndexComparison, style: Style) -> str:
    """The outcome as text: the tables, what differs, and the sum."""
    found, width = compared.found, page_width(style)
    lines = [f"Matrix of {found.edition} against the index that {_who(compared.named_by)} names:"]
    lines += [f"  {place}" for place in compared.places]
    lines += [f"{found.packages} packages, {found.releases} releases", "", *_table(_COLUMNS, _rows(found))]
    if found.read_wheels is not None:
        lines += ["", f"Facts, with parts of {found.read_wheels} wheels read:", "", *_table(_FACTS, _facts(found))]
    if found.absent:
        absent = f"Not on this index, so not compared: {', '.join(found.absent)}"
        lines += ["", *wrapping.wrap(absent, width, later="  ")]
    lines += _listed("The index says something else", found.wrong, width)
    lines += _listed("Rows missing", found.missing, width)
    lines += _listed("Releases that the matrix does not know", found.lacking, width)
    return "\n".join([*lines, "", *wrapping.wrap(_sum(found), width)]) + "\n"


def _who(named_by: str) -> str:
    return "pip's configuration" if named_by == "pip" else named_by


def _rows(found: Verification) -> list[tuple[str | int, ...]]:
    return [(one.table, one.rows, one.confirmed, one.wrong, one.missing) for one in found.tables if one.rows]


def _facts(found: Verification) -> list[tuple[str | int, ...]]:
    return [(one.table, one.cells_confirmed, one.cells_contradicted, one.cells_not_confirmable) for one in found.tables]


def _table(columns: tuple[str, ...], cells: list[tuple[str | int, ...]]) -> Iterator[str]:
    first = max(len(str(row[0])) for row in (columns, *cells))
    for row in (columns, *cells):
        numbers = "  ".join(str(cell).rjust(len(name)) for cell, name in zip(row[1:], columns[1:], strict=True))
        yield f"{str(row[0]).ljust(first)}  {numbers}"


def _listed(title: str, claims: tuple[Claim, ...], width: int) -> list[str]:
    if not claims:
        return []
    lines = ["", f"{title} ({len(claims)}):"]
    for claim in claims:
        said = f"matrix: {claim.matrix or 'nothing'}; index: {claim.index}"
        text = printable(f"{claim.table}: {claim.row}, {claim.about}. {said}")
        lines += wrapping.wrap(text, width, "  ", "    ")
    return lines


def printable(text: str) -> str:
    """Text without control characters: what an index sends must not steer the terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _sum(found: Verification) -> str:
    confirmed, rows = sum(tally.confirmed for tally in found.tables), sum(tally.rows for tally in found.tables)
    what = f"{_facts_sum(found)} What an index cannot say (drivers, GPUs, peak rates) is not among what was compared."
    if found.agrees:
        return f"All {rows} rows that the index can speak about agree with it; no release is missing. {what}"
    return (
        f"{confirmed} of {rows} rows agree; {rows - confirmed} are wrong, {len(found.missing)} missing, "
        f"and the matrix lacks {len(found.lacking)} release{'' if len(found.lacking) == 1 else 's'}. {what}"
    )


def _facts_sum(found: Verification) -> str:
    told = sum(one.cells_confirmed for one in found.tables)
    refuted = sum(one.cells_contradicted for one in found.tables)
    left = sum(one.cells_not_confirmable for one in found.tables)
    more = "" if found.read_wheels is not None else " (--contents reads the wheels, too)"
    return (
        f"Of the facts in these rows {told} are confirmed, {refuted} contradicted, {left} not confirmable here{more}."
    )
