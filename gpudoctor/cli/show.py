"""A report in the format that was asked for."""

from gpudoctor.facts.report import Report
from gpudoctor.report.json import render_json
from gpudoctor.report.output import shows_unicode, width, write_bytes, write_text
from gpudoctor.report.terminal import Style, render_terminal
from gpudoctor.report.view import view_of


def show(report: Report, form: str, verbosity: int) -> None:
    """Write the report to standard output; `verbosity` -1 quiet, 0 normal, 1 verbose."""
    if form == "terminal":
        style = Style(width=width(), unicode=shows_unicode(), verbosity=verbosity)
        write_text(render_terminal(view_of(report), style))
    elif form == "json":
        write_bytes(render_json(report))
    else:
        # Imported here: a check at a terminal needs neither.
        from gpudoctor.cli.redact_output import door
        from gpudoctor.report.shared import SHARED

        write_bytes(SHARED[form](door().fact(report)).encode())
