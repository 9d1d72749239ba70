"""Renders the compatibility matrix as one offline HTML page, with `matrix fit` and every table."""

from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import msgspec

from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import ALL_TABLES
from gpudoctor.knowledge.matrix.types import Row
from gpudoctor.report.fit_table import FIRST_BRANCH, FIRST_GPU, SYSTEMS, fit_table
from gpudoctor.report.html import html_page
from gpudoctor.report.matrix_tables_overview import ABOUT

#: Fields of every row, which the page shows last.
OF_EVERY_ROW = ("source", "checked", "confidence")


def matrix_page(matrix: Matrix, platforms: Iterable[str] = SYSTEMS) -> str:
    """The page, for some systems; half a minute's work for all."""
    main = Element("main", {"class": "report matrix"})
    SubElement(main, "h1").text = "What fits what"
    words = f"gpudoctor's compatibility matrix, edition {matrix.edition}. This page works without a network."
    SubElement(main, "p", {"class": "label"}).text = words
    table = fit_table(matrix, platforms)
    main.append(_chooser(table))
    main.append(_tables())
    return html_page("what fits what", main, more="matrix", data={"fit-table": table, "tables": all_tables(matrix)})


def _chooser(table: dict[str, Any]) -> Element:
    section = Element("section", {"aria-labelledby": "choose"})
    SubElement(section, "h2", id="choose").text = "Which build fits a machine"
    form = SubElement(section, "form", {"class": "choices"})
    _select(form, "system", "System", {system["platform"]: SYSTEMS[system["platform"]] for system in table["systems"]})
    _typed(form, "gpu", "GPU", "RTX 4090; empty: none", table["gpus"])
    _typed(form, "driver", "NVIDIA driver", "570.86; empty: unknown", ())
    _select(form, "python", "Python", {one: one for one in table["pythons"]}, chosen="3.12")
    _select(form, "wish", "Framework", table["wishes"])
    SubElement(section, "div", {"id": "answer", "aria-live": "polite"})
    note = SubElement(section, "p", {"class": "label"})
    note.text = (
        f"Drivers from {FIRST_BRANCH} on, GPUs from compute capability {FIRST_GPU} on, one GPU. "
        "Several GPUs or frameworks, a release of your own, an older glibc: gpudoctor matrix fit --help"
    )
    return section


def _tables() -> Element:
    section = Element("section", {"aria-labelledby": "look"})
    SubElement(section, "h2", id="look").text = "Every table, with sources and dates"
    form = SubElement(section, "form", {"class": "choices"})
    _select(form, "table", "Table", {})
    _typed(form, "search", "Search in all tables", "words that a row has", None)
    SubElement(section, "p", {"id": "found", "role": "status", "class": "label"})
    box = {"class": "scroll", "role": "group", "aria-labelledby": "look", "tabindex": "0"}
    SubElement(SubElement(section, "div", box), "table", {"id": "rows", "class": "grid"})
    SubElement(section, "button", {"type": "button", "id": "more", "hidden": ""}).text = "Show more rows"
    return section


def _field(form: Element, name: str, title: str) -> Element:
    field = SubElement(form, "div")
    SubElement(field, "label", {"for": name}).text = title
    return field


def _select(form: Element, name: str, title: str, values: dict[str, str], chosen: str = "") -> None:
    select = SubElement(_field(form, name, title), "select", id=name)
    for value, words in values.items():
        selected = {"selected": ""} if value == chosen else {}
        SubElement(select, "option", {"value": value, **selected}).text = words


def _typed(form: Element, name: str, title: str, hint: str, values: Iterable[str] | None) -> None:
    """A field to type in; `values` are offered, and may change. None: there are none."""
    field = _field(form, name, title)
    offered = {} if values is None else {"list": f"{name}-list"}
    SubElement(
        field, "input", {"id": name, "placeholder": hint, "autocomplete": "off", "spellcheck": "false", **offered}
    )
    if values is not None:
        listed = SubElement(field, "datalist", id=f"{name}-list")
        for value in values:
            SubElement(listed, "option", value=value)


def all_tables(matrix: Matrix) -> list[dict[str, Any]]:
    """Every table as columns and cells; the last three cells of a row are the number of its source, date and grade."""
    found = []
    for name in ALL_TABLES:
        by_kind: dict[type[Row], list[Row]] = {}
        for row in matrix.table(name):
            by_kind.setdefault(type(row), []).append(row)
        for kind, rows in by_kind.items():
            tag = kind.__struct_config__.tag
            found.append(_cells(f"{name}: {tag}" if len(by_kind) > 1 else name, ABOUT.get(name, ""), rows))
    return found


def _cells(name: str, about: str, rows: list[Row]) -> dict[str, Any]:
    records = [msgspec.to_builtins(row, enc_hook=str) for row in rows]
    columns = [field for field in type(rows[0]).__struct_fields__ if field not in OF_EVERY_ROW]
    columns = [field for field in columns if any(record.get(field) not in (None, "", [], {}) for record in records)]
    sources: dict[str, int] = {}
    cells = [
        [
            *(in_words(record.get(field)) for field in columns),
            sources.setdefault(row.source, len(sources)),
            row.checked,
            row.confidence,
        ]
        for row, record in zip(rows, records, strict=True)
    ]
    titles = [column.replace("_", " ") for column in columns]
    return {"name": name, "about": about, "columns": titles, "rows": cells, "sources": list(sources)}


def in_words(value: object) -> str:
    """A field as a cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "; ".join(f"{name}: {in_words(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(in_words, value))
    return str(value)
