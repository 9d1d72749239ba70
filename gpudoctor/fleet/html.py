"""Renders a fleet report as one HTML page: what is wrong, which nodes differ, and each such node."""

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement

from gpudoctor.fleet.overview import Drift, FleetFinding, FleetStep, Nodes, Overview, Slow, Trouble
from gpudoctor.fleet.words import WHY, group_label, headline, slow_line, trouble_line, varied_line
from gpudoctor.report.commands import visible
from gpudoctor.report.html import command_row, html_page

#: Nodes with a section of their own; a browser draws ten thousand in a second or so.
_MOST_NODES = 10_000


def render_fleet_html(overview: Overview) -> str:
    """The page. It needs no network, and text cannot become markup: see `report.html`."""
    kind = "findings" if overview.has("error") else "incomplete" if overview.has("warning") else "healthy"
    main = Element("main", {"class": f"report {kind}"})
    SubElement(main, "h1").text = headline(overview)
    main.append(_table("Groups", ("Group", "Nodes"), ((group_label(one), f"{one.count:,}") for one in overview.groups)))
    _section(main, "No answer", (_note("error", WHY[one.why], one.nodes, one.detail) for one in overview.silent))
    _section(main, "Findings", map(_finding, overview.findings))
    if overview.drift:
        _section(main, "Different from the rest", [_matrix(overview.drift)])
    _section(main, "Slow GPUs", (_paragraph(slow_line(one)) for one in overview.slow[:_MOST_NODES]))
    _section(main, "No common value", (_paragraph(varied_line(one)) for one in overview.varied))
    _section(main, "Fix plan", (_step(number, step) for number, step in enumerate(overview.plan, 1)))
    _section(main, "Nodes, worst first", _nodes(overview))
    _section(main, "Input", map(_paragraph, _input(overview)))
    end = SubElement(main, "footer")
    when = f" The nodes were looked at from {overview.taken[0]} to {overview.taken[1]}." if overview.taken else ""
    SubElement(end, "p").text = f"gpudoctor {overview.gpudoctor}.{when}"
    return html_page(headline(overview), main)


def _section(main: Element, title: str, parts: Iterable[Element]) -> None:
    parts = list(parts)
    if parts:
        SubElement(main, "h2").text = title
        main.extend(parts)


def _paragraph(text: str) -> Element:
    said = Element("p", {"class": "say"})
    said.text = visible(text)
    return said


def _names(nodes: Nodes) -> str:
    return visible(f"{nodes.names} ({nodes.count:,})" if nodes.count > 1 else nodes.names)


def _note(severity: str, title: str, nodes: Nodes, detail: str) -> Element:
    section = Element(
        "section", {"class": f"finding {severity}", "aria-label": visible(f"{title}: {nodes.names}"[:200])}
    )
    label = SubElement(section, "p", {"class": "label"})
    SubElement(label, "strong").text = visible(title)
    SubElement(section, "p", {"class": "summary"}).text = _names(nodes)
    if detail:
        section.append(_paragraph(detail))
    return section


def _finding(finding: FleetFinding) -> Element:
    return _note(finding.severity, f"{finding.code} {finding.name}", finding.nodes, finding.summary)


def _matrix(drift: Iterable[Drift]) -> Element:
    """A row for each set of nodes, a column for each field in which one differs."""
    drift = tuple(drift)
    fields = list(dict.fromkeys(each.field for one in drift for each in one.differences))
    rows = []
    for one in drift:
        having = {each.field: f"{each.value} (not {each.usual})" for each in one.differences}
        rows.append((_names(one.nodes), group_label(one.group), *(having.get(field, "") for field in fields)))
    return _table("Differences", ("Nodes", "Group", *fields), rows)


def _table(title: str, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Element:
    box = Element("div", {"class": "scroll", "role": "group", "aria-label": title, "tabindex": "0"})
    table = SubElement(box, "table", {"class": "grid"})
    head = SubElement(SubElement(table, "thead"), "tr")
    for name in header:
        SubElement(head, "th", scope="col").text = visible(name)
    body = SubElement(table, "tbody")
    for first, *cells in rows:
        row = SubElement(body, "tr")
        SubElement(row, "th", scope="row").text = visible(first)
        for cell in cells:
            SubElement(row, "td").text = visible(cell)
    return box


def _step(number: int, step: FleetStep) -> Element:
    needs = [word for flag, word in ((step.fix.needs_root, "root"), (step.fix.needs_reboot, "a restart")) if flag]
    title = f"{number}. {step.title}" + (f" (needs {' and '.join(needs)})" if needs else "")
    section = _note("info", title, step.nodes, "")
    section.extend(_paragraph(line) for line in step.fix.by_hand)
    section.extend(command_row(visible(line)) for line in step.fix.commands)
    return section


def _nodes(overview: Overview) -> Iterator[Element]:
    summaries = {one.code: f"{one.code} {one.name}: {one.summary}" for one in overview.findings}
    slow: dict[str, list[Slow]] = {}
    for gpu in overview.slow:
        slow.setdefault(gpu.host, []).append(gpu)
    for trouble in overview.worst[:_MOST_NODES]:
        yield _node(trouble, summaries, slow.get(trouble.host, []))
    if len(overview.worst) > _MOST_NODES:
        yield _paragraph(f"{len(overview.worst) - _MOST_NODES:,} more are in --format json.")


def _node(trouble: Trouble, summaries: dict[str, str], slow: Iterable[Slow]) -> Element:
    folded = Element("details")
    SubElement(folded, "summary").text = visible(f"{trouble.host}: {trouble_line(trouble)}")
    listing = SubElement(folded, "ul")
    told = [summaries[code] for code in (*trouble.errors, *trouble.warnings) if code in summaries]
    told += [WHY[trouble.silent]] if trouble.silent else []
    told += [f"It differs in: {field}" for field in trouble.differs]
    for line in (*told, *map(slow_line, slow)):
        SubElement(listing, "li").text = visible(line)
    return folded


def _input(overview: Overview) -> Iterator[str]:
    for one in overview.unreadable:
        yield f"{one.where} was left out: {one.reason}"
    if overview.unreadable_count > len(overview.unreadable):
        yield f"{overview.unreadable_count:,} lines were left out in all."
    for note in overview.noted:
        yield note.text + (f": {_names(note.nodes)}" if note.nodes else "")
