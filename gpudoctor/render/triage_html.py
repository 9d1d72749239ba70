"""Judged tickets as one HTML page."""

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement

from gpudoctor.engine.triage import Ticket
from gpudoctor.model.fix import Fix
from gpudoctor.render.commands import is_command, step_lines, visible
from gpudoctor.render.html import command_row, fact_table, html_page
from gpudoctor.render.triage import headline, left_of, name_of_cause


def render_tickets_html(tickets: Iterable[Ticket]) -> str:
    """The page: for each ticket the verdict first, what to ask, and what was looked at folded."""
    main = Element("main", {"class": "report findings"})
    judged = tuple(tickets)
    title = headline(judged[0]) if len(judged) == 1 else f"{len(judged)} tickets"
    SubElement(main, "h1").text = title
    for ticket in judged:
        main.append(_ticket(ticket, alone=len(judged) == 1))
    return html_page(title, main)


def _ticket(ticket: Ticket, *, alone: bool) -> Element:
    section = Element("section", {"class": f"finding {_severity(ticket)}", "aria-label": visible(ticket.name)})
    SubElement(section, "p", {"class": "label"}).text = visible(ticket.name)
    if not alone:
        SubElement(section, "p", {"class": "summary"}).text = headline(ticket)
    top = ticket.causes[0].key if ticket.causes else None
    finding = next((one for one in ticket.findings if one.name == top), None)
    if finding and finding.evidence:
        rows = [(visible(one.fact), visible(one.value)) for one in finding.evidence]
        section.append(fact_table(rows, f"Evidence in {visible(ticket.name)}"))
    if finding and finding.fixes:
        section.extend(_fix(finding.fixes[0]))
    if ticket.question:
        SubElement(section, "p", {"class": "fix"}).text = f"Ask the reporter: {visible(ticket.question.why)}"
        section.append(command_row(visible(ticket.question.ask)))
    lines = tuple(_looked_at(ticket))
    if lines:
        folded = SubElement(section, "details")
        SubElement(folded, "summary").text = "Details"
        listing = SubElement(folded, "ul")
        for line in lines:
            SubElement(listing, "li").text = line
    return section


def _severity(ticket: Ticket) -> str:
    if ticket.kind == "unreadable":
        return "warning"
    if not ticket.named:
        return "info"
    return "error" if ticket.causes and ticket.causes[0].confidence == "certain" else "warning"


def _fix(fix: Fix) -> Iterator[Element]:
    title = Element("p", {"class": "fix"})
    title.text = f"Fix: {visible(fix.title)}"
    yield title
    for step in fix.steps:
        for line in step_lines(step):
            if is_command(step):
                yield command_row(line)
            else:
                said = Element("p", {"class": "say"})
                said.text = line
                yield said


def _looked_at(ticket: Ticket) -> Iterator[str]:
    for cause in ticket.causes[1 if ticket.named else 0 :]:
        yield f"Also possible: {name_of_cause(cause)}, {cause.confidence}"
    for message in ticket.messages:
        yield f'"{visible(message.text)[:200]}": {message.meaning}'
    if ticket.contents is None:
        return
    for dispute in ticket.contents.disputes:
        said = "; ".join(f"{visible(value)} ({visible(where)})" for value, where in dispute.values)
        yield f"Contradictory: {dispute.fact}: {said}"
    forms = ", ".join(one.form for one in ticket.contents.recognised)
    yield f"Recognised: {forms or 'known messages only'}. {left_of(ticket)}"
