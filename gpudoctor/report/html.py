"""Renders the report as one HTML page without network or outside files, safe against markup in facts.

Built as a tree and written by the standard library's serialiser, so no text can become markup; and a content security
policy lets run exactly our own script, so nothing else would.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from xml.etree.ElementTree import Element, SubElement, tostring

import msgspec

from gpudoctor.facts.report import Report
from gpudoctor.report.facts import FactGroup, fact_groups
from gpudoctor.report.page_files import page_file
from gpudoctor.report.tables import Grid, grids_of
from gpudoctor.report.view import FindingView, FixView, View, fix_heading, view_of

_SIGNS = {"ok": "\u2713", "error": "\u2717", "warning": "!", "info": "i", "absent": "\u2013", "unseen": "?"}
_WORDS = {"ok": "OK", "absent": "absent", "unseen": "unknown", "info": "with a note"}
#: Each ends a line of the source, so that the page can be read, compared and triaged as text.
_LINES = ("p", "h1", "h2", "li", "tr", "section", "div", "pre", "details", "summary", "footer")
_BOXES = ("main", "section", "ol", "ul", "details", "div", "table")


def render_html(view: View, groups: Iterable[FactGroup] = (), grids: Iterable[Grid] = (), *, footer: str = "") -> str:
    """The whole page."""
    return html_page(view.headline, _article(view, groups, grids, footer, heading="h1"))


def report_html(report: Report) -> str:
    """The report of a check as a page."""
    return render_html(view_of(report), fact_groups(report.snapshot), grids_of(report))


def html_page(title: str, main: Element, *, more: str = "", data: Mapping[str, object] | None = None) -> str:
    """A page with this element as its content, in the clothes of a report; a script copies commands.

    `more`: the name of a further style sheet and script; `data`: JSON that it reads, by the id of its element.
    """
    styles = ("report.css", *((f"{more}.css",) if more else ()))
    scripts = ("copy.js", *((f"{more}.js",) if more else ()))
    page = Element("html", lang="en")
    head = SubElement(page, "head")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": _policy(scripts)})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    SubElement(head, "title").text = f"gpudoctor: {title}"
    SubElement(head, "style").text = "".join(map(page_file, styles))
    body = SubElement(page, "body")
    body.append(main)
    for element in main.iter():
        if element.tag in _LINES:
            element.tail = "\n"
        if element.tag in _BOXES:
            element.text = "\n"
        if element.tag == "th":
            element.tail = " "
    for name, value in (data or {}).items():
        text = msgspec.json.encode(value).decode().replace("<", "\\u003c")
        SubElement(body, "script", {"type": "application/json", "id": name}).text = text
    for name in scripts:
        SubElement(body, "script").text = page_file(name)
    return "<!DOCTYPE html>\n" + tostring(page, encoding="unicode", method="html") + "\n"


def render_fragment(view: View, grids: Iterable[Grid] = ()) -> str:
    """The report as an element to put into a page of somebody else's: a notebook's output. Without a script."""
    box = Element("div", {"class": "gpudoctor"})
    SubElement(box, "style").text = page_file("report.css")
    box.append(_article(view, (), grids, "", heading="h2", can_copy=False))
    return tostring(box, encoding="unicode", method="html")


def _policy(scripts: Iterable[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(page_file(name).encode()).digest()).decode() for name in scripts)
    allowed = "style-src 'unsafe-inline'; script-src " + " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _article(
    view: View, groups: Iterable[FactGroup], grids: Iterable[Grid], footer: str, *, heading: str, can_copy: bool = True
) -> Element:
    main = Element("main", {"class": f"report {view.verdict}"})
    SubElement(main, heading).text = view.headline
    main.append(_stack(view))
    for title, findings in (("", view.causes), ("Consequences", view.consequences), ("Notes", view.notes)):
        if title and findings:
            SubElement(main, "h2").text = title
        main.extend(_finding(finding, can_copy) for finding in findings)
    _listing(main, "Required facts that were not read", view.unseen)
    for crash in view.crashes:
        SubElement(main, "h2").text = "gpudoctor failed; please report"
        SubElement(main, "pre", tabindex="0").text = crash
    for grid in grids:
        main.extend(_grid(grid))
    groups = tuple(groups)
    if groups:
        SubElement(main, "h2").text = "Facts"
        main.extend(_facts(group) for group in groups)
    end = SubElement(main, "footer")
    if view.examined:
        SubElement(end, "p").text = f"Examined: {view.examined}, {view.rules_run} rules."
    if footer:
        SubElement(end, "p").text = footer
    return main


def _stack(view: View) -> Element:
    """The layers as they stand on each other: the framework on top, the hardware at the bottom."""
    stack = Element("ol", {"class": "stack", "aria-label": "The stack, from the framework down to the hardware"})
    for line in reversed(view.stack):
        layer = SubElement(stack, "li", {"class": line.state})
        SubElement(layer, "span", {"class": "sign", "aria-hidden": "true"}).text = _SIGNS[line.state]
        name = SubElement(layer, "span", {"class": "layer"})
        name.text = line.layer
        SubElement(name, "span", {"class": "hidden"}).text = f" ({_WORDS.get(line.state, line.state)})"
        SubElement(layer, "span", {"class": "text"}).text = line.text
    return stack


def _finding(finding: FindingView, can_copy: bool) -> Element:
    section = Element(
        "section", {"class": f"finding {finding.severity}", "aria-label": f"{finding.code} {finding.name}"}
    )
    label = SubElement(section, "p", {"class": "label"})
    SubElement(label, "strong").text = f"{'note' if finding.severity == 'info' else finding.severity} {finding.code}"
    sure = "" if finding.confidence == "certain" else f" ({finding.confidence})"
    because = f", because of {', '.join(finding.because_of)}" if finding.because_of else ""
    SubElement(label, "span").text = f" {finding.name}{sure}{because}"
    SubElement(section, "p", {"class": "summary"}).text = finding.summary
    if finding.evidence:
        section.append(fact_table(((fact, value) for fact, value, _ in finding.evidence), "Evidence"))
    for number, fix in enumerate(finding.fixes):
        SubElement(section, "p", {"class": "fix"}).text = fix_heading(finding, number)
        _fix(section, fix, can_copy)
    return section


def _fix(section: Element, fix: FixView, can_copy: bool) -> None:
    for is_command, line in fix.commands:
        if not is_command:
            SubElement(section, "p", {"class": "say"}).text = line
            continue
        section.append(command_row(line, can_copy=can_copy))


def _grid(grid: Grid) -> Iterator[Element]:
    title = Element("h2")
    title.text = grid.title
    yield title
    box = Element("div", {"class": "scroll", "role": "group", "aria-label": grid.title, "tabindex": "0"})
    table = SubElement(box, "table", {"class": "grid"})
    head = SubElement(SubElement(table, "thead"), "tr")
    for name in grid.header:
        SubElement(head, "th", scope="col").text = name
    body = SubElement(table, "tbody")
    for row in grid.rows:
        line = SubElement(body, "tr")
        for place, cell in enumerate(row):
            SubElement(line, "td" if place else "th", {} if place else {"scope": "row"}).text = cell
    yield box
    if grid.notes:
        notes = Element("ol")
        for note in grid.notes:
            SubElement(notes, "li").text = note
        yield notes


def command_row(line: str, *, can_copy: bool = True) -> Element:
    """A line to paste, with a button that copies it."""
    row = Element("div", {"class": "command"})
    code = SubElement(row, "pre", {"tabindex": "0"})
    SubElement(code, "code").text = line
    if can_copy:
        SubElement(row, "button", {"type": "button", "aria-label": f"Copy: {line}"}).text = "Copy"
    return row


def _listing(main: Element, title: str, items: Iterable[str]) -> None:
    items = tuple(items)
    if items:
        SubElement(main, "h2").text = title
        listing = SubElement(main, "ul")
        for item in items:
            SubElement(listing, "li").text = item


def _facts(group: FactGroup) -> Element:
    folded = Element("details")
    SubElement(folded, "summary").text = group.title
    folded.append(fact_table(group.rows, group.title))
    return folded


def fact_table(rows: Iterable[tuple[str, str]], title: str) -> Element:
    """Names and values; a row without a name is one wide cell."""
    box = Element("div", {"class": "scroll", "role": "group", "aria-label": title, "tabindex": "0"})
    body = SubElement(SubElement(box, "table"), "tbody")
    for name, value in rows:
        row = SubElement(body, "tr")
        if name:
            SubElement(row, "th", scope="row").text = name
            SubElement(row, "td").text = value
        else:
            SubElement(row, "td", colspan="2").text = value
    return box
