"""Judged tickets for a terminal, as JSON and as Markdown."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator

import click

from gpudoctor.engine.ranking import Candidate
from gpudoctor.engine.triage import TRIAGE_SCHEMA, Ticket
from gpudoctor.model.codec import encode
from gpudoctor.model.fix import Fix
from gpudoctor.redact.credentials import without_credentials
from gpudoctor.redact.facts import fact_without_credentials
from gpudoctor.render.commands import is_command, step_lines, visible
from gpudoctor.render.terminal import Style

#: Up to so many tickets each is told in full.
_FULL = 3
_COLOURS = {"certain": "red", "likely": "yellow", "possible": "cyan"}


def headline(ticket: Ticket) -> str:
    """The verdict on a ticket, in one sentence."""
    if ticket.kind == "unreadable":
        return f"It cannot be judged: {ticket.error}."
    top = ticket.causes[0] if ticket.causes else None
    if top is not None and ticket.named:
        return {"certain": "The cause", "likely": "Likely cause", "possible": "Possible cause"}[top.confidence] + (
            f": {name_of_cause(top)}"
        )
    if ticket.verdict in ("healthy", "no-gpu"):
        return "Nothing is wrong with what was recorded."
    if ticket.kind == "text":
        return "What it states shows nothing wrong, and it does not state enough for a verdict."
    return "Nothing wrong was seen, but not everything could be looked at."


def name_of_cause(cause: Candidate) -> str:
    """A cause as it is told: its words, and the rule where it is one."""
    code = f" ({cause.code} {cause.key})" if cause.code else ""
    return f"{visible(cause.words).rstrip('.')}{code}"


def render_tickets_terminal(tickets: Iterable[Ticket], style: Style) -> Iterator[str]:
    """Few tickets in full; many in a line each and a count of their causes at the end."""
    first: list[Ticket] = []
    rest = iter(tickets)
    for ticket in rest:
        first.append(ticket)
        if len(first) > _FULL:
            break
    if len(first) <= _FULL and style.verbosity >= 0:
        for number, ticket in enumerate(first):
            yield ("\n" if number else "") + "\n".join(_full(fact_without_credentials(ticket), style)) + "\n"
        return
    counts: Counter[str] = Counter()
    for ticket in _chain(first, rest):
        counts[_counted(ticket)] += 1
        yield without_credentials(_line(ticket, style)) + "\n"
    if sum(counts.values()) > 1:
        yield "\n" + "".join(f"{number:6}  {words}\n" for words, number in counts.most_common())


def _chain(first: list[Ticket], rest: Iterator[Ticket]) -> Iterator[Ticket]:
    yield from first
    yield from rest


def _counted(ticket: Ticket) -> str:
    if ticket.kind == "unreadable":
        return "could not be judged"
    if ticket.named:
        return ticket.causes[0].key if ticket.causes else ticket.findings[0].name
    return "healthy" if ticket.verdict in ("healthy", "no-gpu") else "not enough is known"


def _line(ticket: Ticket, style: Style) -> str:
    text = f"{visible(ticket.name)}: {headline(ticket)}"
    if ticket.question and style.verbosity > 0:
        text += f" Ask: {visible(ticket.question.ask)}"
    return text


def _full(ticket: Ticket, style: Style) -> Iterator[str]:
    top = ticket.causes[0] if ticket.causes else None
    colour = _COLOURS[top.confidence] if top and ticket.named else "yellow" if ticket.kind == "unreadable" else None
    yield click.style(visible(ticket.name), bold=True)
    for part in _wrapped(headline(ticket), style):
        yield click.style(part, fg=colour, bold=True)
    if ticket.kind == "unreadable":
        return
    yield from _evidence(ticket, style)
    yield from _others(ticket, style)
    for message in ticket.messages:
        yield ""
        yield from _wrapped(f'It says: "{visible(message.text)[:200]}"', style)
        yield from _wrapped(message.meaning, style, "  ")
    yield from _disputes(ticket, style)
    if ticket.question:
        yield ""
        yield from _wrapped(f"Ask the reporter next. {ticket.question.why}", style)
        yield "    " + click.style(visible(ticket.question.ask), bold=True)
    yield from _contents(ticket, style)


def _evidence(ticket: Ticket, style: Style) -> Iterator[str]:
    """What the finding of the first cause rests on, and its first fix."""
    top = ticket.causes[0].key if ticket.causes else None
    finding = next((one for one in ticket.findings if one.name == top), None)
    if finding is None:
        return
    for one in finding.evidence:
        where = f"  [{visible(one.source.where)}]" if one.source and style.verbosity > 0 else ""
        yield from _wrapped(f"{visible(one.fact)}: {visible(one.value)}{where}", style, "    ")
    if finding.fixes:
        yield from _fix(finding.fixes[0], style)


def _fix(fix: Fix, style: Style) -> Iterator[str]:
    yield from _wrapped(f"To mend it: {visible(fix.title)}", style, "  ")
    for step in fix.steps:
        for line in step_lines(step):
            yield from ["    " + click.style(line, bold=True)] if is_command(step) else _wrapped(line, style, "    ")


def _others(ticket: Ticket, style: Style) -> Iterator[str]:
    told = ticket.causes[1:] if ticket.named else ticket.causes
    shown = told if style.verbosity > 0 else told[:2]
    if shown:
        yield ""
        yield "It may also be:" if ticket.named else "It may be, though little points to it:"
    for cause in shown:
        yield from _wrapped(f"- {name_of_cause(cause)}, {cause.confidence}", style, "  ")
    for one in ticket.ruled_out:
        yield from _wrapped(f'It is not "{visible(one.words).rstrip(".")}": {visible(one.because)}.', style)


def _disputes(ticket: Ticket, style: Style) -> Iterator[str]:
    for one in ticket.contents.disputes if ticket.contents else ():
        yield ""
        said = "; ".join(f"{visible(value)} ({visible(where)})" for value, where in one.values)
        taken = f" {visible(one.taken)} was believed." if one.taken else " Neither was believed."
        yield from _wrapped(f"It contradicts itself on {one.fact}: {said}.{taken}", style)


def _contents(ticket: Ticket, style: Style) -> Iterator[str]:
    contents = ticket.contents
    if contents is None:
        return
    forms = ", ".join(
        f"{one.form} (line {one.line})" if style.verbosity > 0 else one.form for one in contents.recognised
    )
    yield ""
    yield from _wrapped(f"Recognised: {forms or 'known messages only'}. {left_of(ticket)}", style)


def left_of(ticket: Ticket) -> str:
    """How much of the text was used, and how it is written."""
    contents = ticket.contents
    assert contents is not None
    words = f"{contents.used} of {contents.lines} lines were used"
    encoding = f"; it is written in {contents.encoding}" if contents.encoding not in (None, "utf-8") else ""
    return f"{words}{encoding}{f'; {contents.cut}' if contents.cut else ''}."


def _wrapped(text: str, style: Style, indent: str = "") -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        max(30, style.width),
        initial_indent=indent,
        subsequent_indent=indent + ("  " if indent else ""),
        break_long_words=False,
        break_on_hyphens=False,
    )


def render_tickets_json(tickets: Iterable[Ticket]) -> Iterator[bytes]:
    """One JSON document, written ticket by ticket."""
    yield b'{"schema":%d,"tickets":[' % TRIAGE_SCHEMA
    for number, ticket in enumerate(tickets):
        yield (b",\n" if number else b"\n") + encode(ticket)
    yield b"\n]}\n"


def render_tickets_markdown(tickets: tuple[Ticket, ...]) -> str:
    """For a reply in an issue: the verdict first, what to ask, the rest folded."""
    return "\n".join("\n".join(_markdown(ticket, alone=len(tickets) == 1)) for ticket in tickets) + "\n"


def _markdown(ticket: Ticket, *, alone: bool) -> Iterator[str]:
    if not alone:
        yield f"### {_escaped(ticket.name)}\n"
    yield f"**{_escaped(headline(ticket))}**\n"
    top = ticket.causes[0].key if ticket.causes else None
    finding = next((one for one in ticket.findings if one.name == top), None)
    for one in finding.evidence if finding else ():
        yield f"- {_escaped(one.fact)}: `{_code(one.value)}`"
    if finding and finding.fixes:
        yield f"\n{_escaped(finding.fixes[0].title)}:\n"
        lines = [line for step in finding.fixes[0].steps for line in step_lines(step)]
        yield "```sh\n" + "\n".join(_code(line) for line in lines) + "\n```"
    if ticket.question:
        yield f"\nTo decide, please run this and paste what it prints. {_escaped(ticket.question.why)}\n"
        yield f"```sh\n{_code(ticket.question.ask)}\n```"
    if ticket.contents is not None or len(ticket.causes) > 1:
        yield "\n<details><summary>What was looked at</summary>\n"
        for cause in ticket.causes[1:]:
            yield f"- Also possible: {_escaped(name_of_cause(cause))}, {cause.confidence}"
        for message in ticket.messages:
            yield f"- `{_code(message.text[:200])}`: {_escaped(message.meaning)}"
        for dispute in ticket.contents.disputes if ticket.contents else ():
            said = "; ".join(f"{value} ({where})" for value, where in dispute.values)
            yield f"- Stated differently: {_escaped(dispute.fact)}: {_escaped(said)}"
        if ticket.contents is not None:
            forms = ", ".join(one.form for one in ticket.contents.recognised)
            yield f"- Recognised: {_escaped(forms or 'known messages only')}. {_escaped(left_of(ticket))}"
        yield "\n</details>"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|@" else char for char in visible(text).replace("\n", " "))


def _code(text: str) -> str:
    """Text within code marks."""
    return visible(text).replace("`", "'")
