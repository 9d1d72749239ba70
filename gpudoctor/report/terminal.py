"""Renders the report for a terminal: plain lines, optional colour, ASCII as a fallback."""

import textwrap
from collections.abc import Iterator

import click

from gpudoctor.facts.base import Fact
from gpudoctor.facts.report import Report
from gpudoctor.language import wrapping
from gpudoctor.report.view import FindingView, FixView, View, fix_heading, view_of

#: Signs by state, for streams that can show them and for those that cannot.
_SIGNS = {
    "ok": ("\u2713", "ok"),
    "error": ("\u2717", "x"),
    "warning": ("!", "!"),
    "info": ("i", "i"),
    "absent": ("-", "-"),
    "unseen": ("?", "?"),
}
_COLOURS = {"ok": "green", "error": "red", "warning": "yellow", "unseen": "yellow"}
_HEADLINE_STATES = {"healthy": "ok", "no-gpu": "ok", "findings": "error", "incomplete": "unseen", "bug": "error"}


class Style(Fact, frozen=True, kw_only=True):
    """How to draw. `width` in columns; `verbosity` -1 quiet, 0 normal, 1 verbose; `piped`: to no terminal."""

    width: int = 80
    unicode: bool = True
    verbosity: int = 0
    piped: bool = False


def report_text(report: Report, style: Style) -> str:
    """The report of a check as text with ANSI colours."""
    return render_terminal(view_of(report), style)


def render_terminal(view: View, style: Style) -> str:
    """The report as text with ANSI colours; the caller strips them where colour is not wanted."""
    if style.verbosity < 0:
        return "\n".join([_headline(view.headline, view), *(f"{f.code} {f.summary}" for f in view.causes)]) + "\n"
    return "\n".join(_lines(view, style)) + "\n"


def _lines(view: View, style: Style) -> Iterator[str]:
    for line in view.stack:
        yield from _stack_line(line.layer, line.text, line.state, style)
    yield ""
    for part in wrapped(view.headline, style):
        yield _headline(part, view)
    yield from _details(view, style)
    if view.examined:
        yield ""
        how = "Frameworks were run" if view.was_run else "Static check"
        yield from wrapped(f"Examined: {view.examined}. {how}, {view.rules_run} rules.", style)


def finding_lines(view: View, style: Style) -> Iterator[str]:
    """The root causes, and what follows from them."""
    for finding in view.causes:
        yield ""
        yield from _finding(finding, style)
    if view.consequences:
        yield from _consequences(view.consequences, style)


def _details(view: View, style: Style) -> Iterator[str]:
    yield from finding_lines(view, style)
    for finding in view.notes:
        yield ""
        yield from _note(finding, style)
    if view.unseen:
        yield ""
        yield "Required facts that were not read:"
        for fact in view.unseen:
            yield from wrapped(fact, style, indent="  - ", hang="    ")
    if view.skipped and style.verbosity > 0:
        yield ""
        yield "Rules that could not be evaluated:"
        for code, reason in view.skipped:
            yield from wrapped(f"{code}  {reason}", style, indent="  ", hang="          ")
    for crash in view.crashes:
        yield ""
        yield "gpudoctor failed; please report:"
        yield textwrap.indent(crash.rstrip(), "  ")


def _stack_line(layer: str, text: str, state: str, style: Style) -> Iterator[str]:
    mark = click.style(sign(state, style).ljust(2), fg=_COLOURS.get(state), bold=state == "error")
    head, *rest = wrapping.wrap(text, max(20, style.width - 15)) or [""]
    yield f"{mark} {layer:<11} {head}"
    for line in rest:
        yield " " * 15 + line


def _headline(line: str, view: View) -> str:
    return click.style(line, fg=_COLOURS[_HEADLINE_STATES[view.verdict]], bold=True)


def _finding(finding: FindingView, style: Style) -> Iterator[str]:
    sure = "" if finding.confidence == "certain" else f" ({finding.confidence})"
    label = click.style(f"{finding.severity} {finding.code}", fg=_COLOURS.get(finding.severity), bold=True)
    yield f"{label} {finding.name}{sure}"
    yield from wrapped(finding.summary, style, indent="  ")
    for fact, value, where in finding.evidence:
        source = f"  [{where}]" if where and style.verbosity > 0 else ""
        yield from wrapped(f"{fact}: {value}{source}", style, indent="    ", hang="      ")
    for number, fix in enumerate(finding.fixes):
        yield from wrapped(fix_heading(finding, number), style, indent="  ", hang="    ")
        yield from _fix(fix, style)


def _fix(fix: FixView, style: Style) -> Iterator[str]:
    for is_command, line in fix.commands:
        if is_command:
            # Never wrapped: it must be pasted as it stands.
            yield "    " + click.style(wrapping.verbatim(line), bold=True)
        else:
            yield from wrapped(line, style, indent="    ")


def _consequences(findings: tuple[FindingView, ...], style: Style) -> Iterator[str]:
    yield ""
    yield "Consequences:"
    for finding in findings:
        because = ", ".join(finding.because_of)
        yield from wrapped(
            f"{finding.code} {finding.summary} (because of {because})", style, indent="  ", hang="         "
        )
        if style.verbosity > 0:
            for fact, value, _ in finding.evidence:
                yield from wrapped(f"{fact}: {value}", style, indent="         ", hang="           ")


def _note(finding: FindingView, style: Style) -> Iterator[str]:
    yield from wrapped(f"note {finding.code}: {finding.summary}", style, hang="  ")
    if style.verbosity > 0:
        for fact, value, _ in finding.evidence:
            yield from wrapped(f"{fact}: {value}", style, indent="    ", hang="      ")
    for number, fix in enumerate(finding.fixes):
        yield from wrapped(f"{fix_heading(finding, number)}:", style, indent="  ")
        for is_command, line in fix.commands:
            if is_command:
                yield f"    {wrapping.verbatim(line)}"
            else:
                yield from wrapped(line, style, indent="    ")


def wrapped(text: str, style: Style, *, indent: str = "", hang: str | None = None) -> Iterator[str]:
    """The text in lines of the style's width; `hang` indents all but the first."""
    yield from wrapping.wrap(text, max(30, style.width), indent, indent if hang is None else hang)


def sign(state: str, style: Style) -> str:
    """The sign of a state."""
    return _SIGNS[state][0 if style.unicode else 1]
