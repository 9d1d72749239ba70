"""Renders the explanation of an error message for a terminal."""

from collections.abc import Iterator

import click

from gpudoctor.diagnosis.explanation import Explanation
from gpudoctor.diagnosis.missing_facts import FACT_WORDS, SECTION_WORDS
from gpudoctor.language import wrapping
from gpudoctor.report.commands import visible
from gpudoctor.report.terminal import Style, wrapped
from gpudoctor.report.triage import exclusion_lines, remedy_lines, unknown_error


def render_explanation(explanation: Explanation, style: Style) -> str:
    """What it means, what causes it, what to look at."""
    return "\n".join(_lines(explanation, style)) + "\n"


def _lines(explanation: Explanation, style: Style) -> Iterator[str]:
    if not explanation.messages:
        yield "No known error message in this text."
        if explanation.error:
            yield from wrapped(unknown_error(explanation.error), style, indent="  ", hang="     ")
        else:
            yield from wrapped("Paste more of the output, starting at the first line that mentions an error.", style)
    for message in explanation.messages:
        yield from wrapped(f'"{visible(message.text)[:300]}"', style)
        for part in wrapped(message.meaning, style, indent="  ", hang="     "):
            yield click.style(part, bold=True)
        yield ""
    yield from _causes(explanation, style)
    yield from _fix(explanation, style)
    if explanation.question:
        yield ""
        yield f"Check next: {explanation.question.why}"
        yield "    " + click.style(visible(explanation.question.ask), bold=True)


def _causes(explanation: Explanation, style: Style) -> Iterator[str]:
    """The causes, what nobody looked at to decide them, and what it is not."""
    if explanation.causes:
        known = "the facts of this machine" if explanation.weighed else "how common they are"
        yield f"Causes, ranked by {known}:"
    for number, cause in enumerate(explanation.causes, 1):
        seen = "Confirmed. " if cause.state == "found" else ""
        # A command stays in one line: it is copied from there.
        page = f" `gpudoctor\0explain\0{cause.code}`" if cause.code else ""
        for line in wrapped(f"{number}. {seen}{visible(cause.words)}{page}", style, indent="  ", hang="     "):
            yield line.replace("\0", " ")
        if explanation.weighed and cause.missing:
            named = ", ".join((SECTION_WORDS | FACT_WORDS).get(name, name) for name in cause.missing)
            yield from wrapped(f"Undecided. Missing: {named}.", style, indent="     ", hang="        ")
    for words in exclusion_lines(explanation.ruled_out):
        yield from wrapped(words, style, indent="  ", hang="     ")


def _fix(explanation: Explanation, style: Style) -> Iterator[str]:
    """What to do about the first cause."""
    first = explanation.causes[0].key if explanation.causes else None
    remedy = next((one for one in explanation.remedies if one.cause == first), None)
    if remedy is None:
        return
    yield ""
    yield from wrapped(f"Fix: {visible(remedy.say)}", style)
    for command, line in remedy_lines(remedy, explanation.system):
        bold = click.style(wrapping.verbatim(line), bold=True)
        yield from [f"    {bold}"] if command else wrapped(line, style, indent="    ", hang="       ")
