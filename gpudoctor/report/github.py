"""Renders the report as GitHub Actions annotations.

docs.github.com/actions/reference/workflow-commands-for-github-actions: `%`, CR and LF are escaped in a message, and
`:` and `,` in a property too.
"""

from collections.abc import Iterator

from gpudoctor.facts.report import Report
from gpudoctor.report.view import FindingView, View, fix_heading, view_of

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def render_github(view: View) -> str:
    """One annotation a finding, consequences left out, and the verdict."""
    return "\n".join(_lines(view)) + "\n"


def report_github(report: Report) -> str:
    """The report of a check as annotations."""
    return render_github(view_of(report))


def _lines(view: View) -> Iterator[str]:
    for finding in (*view.causes, *view.notes):
        yield _annotation(_LEVELS[finding.severity], f"{finding.code} {finding.name}", _message(finding))
    for fact in view.unseen if view.verdict == "incomplete" else ():
        yield _annotation("error", "required fact not read", fact)
    for crash in view.crashes:
        yield _annotation("error", "gpudoctor failed", crash)
    yield _escaped(view.headline)


def _message(finding: FindingView) -> str:
    lines = [finding.summary, *(f"{fact}: {value}" for fact, value, _ in finding.evidence)]
    for fix in finding.fixes[:1]:
        lines += [fix_heading(finding, 0), *(line for _, line in fix.commands)]
    return "\n".join(lines)


def _annotation(level: str, title: str, message: str) -> str:
    return annotation(level, {"title": title}, message)


def annotation(level: str, properties: dict[str, str], message: str) -> str:
    """One annotation; properties are title, file, line."""
    words = (f"{name}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in properties.items())
    return f"::{level} {','.join(words)}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
