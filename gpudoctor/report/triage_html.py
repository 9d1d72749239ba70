"""Renders diagnosed tickets as one HTML page."""

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement

from gpudoctor.diagnosis.triage import Ticket
from gpudoctor.report.commands import visible
from gpudoctor.report.html import command_row, html_page
from gpudoctor.report.triage import headline, looked_at, remedy_for, remedy_lines, why


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
    grounds = tuple(why(ticket))
    if grounds:
        listing = SubElement(section, "ul")
        for line in grounds:
            SubElement(listing, "li").text = line.strip()
    section.extend(_fix(ticket))
    if ticket.question:
        SubElement(section, "p", {"class": "fix"}).text = f"Ask the reporter: {visible(ticket.question.why)}"
        section.append(command_row(visible(ticket.question.ask)))
    lines = tuple(looked_at(ticket))
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


def _fix(ticket: Ticket) -> Iterator[Element]:
    remedy = remedy_for(ticket)
    if remedy is None:
        return
    title = Element("p", {"class": "fix"})
    title.text = f"Fix: {visible(remedy.say)}"
    yield title
    for command, line in remedy_lines(remedy, ticket.system):
        if command:
            yield command_row(line)
        else:
            said = Element("p", {"class": "say"})
            said.text = line
            yield said
