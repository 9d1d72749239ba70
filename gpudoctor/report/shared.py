"""The formats of a report that others read (a page, an issue, continuous integration): one function and one row each.

A check at a terminal pays for none of them: each imports its renderer when it is asked for. The
commands give them what has passed `gpudoctor.redact`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpudoctor.diagnosis.triage import Ticket
    from gpudoctor.facts.report import Report


def _github(report: "Report") -> str:
    from gpudoctor.report.github import render_github
    from gpudoctor.report.view import view_of

    return render_github(view_of(report))


def _html(report: "Report") -> str:
    from gpudoctor.report.facts import fact_groups
    from gpudoctor.report.html import render_html
    from gpudoctor.report.tables import grids_of
    from gpudoctor.report.view import view_of

    return render_html(view_of(report), fact_groups(report.snapshot), grids_of(report))


def _junit(report: "Report") -> str:
    from gpudoctor.report.junit import render_junit

    return render_junit(report)


def _markdown(report: "Report") -> str:
    from gpudoctor.report.facts import fact_groups
    from gpudoctor.report.markdown import render_markdown
    from gpudoctor.report.tables import grids_of
    from gpudoctor.report.view import view_of

    return render_markdown(view_of(report), fact_groups(report.snapshot), grids_of(report))


#: By the word of `--format`.
SHARED: dict[str, Callable[["Report"], str]] = {
    "markdown": _markdown,
    "html": _html,
    "junit": _junit,
    "github": _github,
}


def _tickets_html(tickets: "tuple[Ticket, ...]") -> str:
    from gpudoctor.report.triage_html import render_tickets_html

    return render_tickets_html(tickets)


def _tickets_markdown(tickets: "tuple[Ticket, ...]") -> str:
    from gpudoctor.report.triage import render_tickets_markdown

    return render_tickets_markdown(tickets)


#: The same of judged tickets.
SHARED_TICKETS: dict[str, Callable[["tuple[Ticket, ...]"], str]] = {
    "markdown": _tickets_markdown,
    "html": _tickets_html,
}
