"""Renders diagnosed tickets for a terminal and as JSON."""

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator

import click

from gpudoctor.diagnosis.ranking import LIKELY, Candidate, RuledOut, is_worth_naming
from gpudoctor.diagnosis.remedies import Remedy
from gpudoctor.diagnosis.triage import TRIAGE_SCHEMA, Message, Ticket, UnknownError
from gpudoctor.facts.codec import encode
from gpudoctor.knowledge.message import message_of
from gpudoctor.knowledge.programs import program_named
from gpudoctor.language import wrapping
from gpudoctor.redact.credentials import fact_without_credentials, without_credentials
from gpudoctor.report.commands import is_command, step_lines, visible
from gpudoctor.report.terminal import Style, wrapped
from gpudoctor.report.what_was_read import disputes, what_was_read
from gpudoctor.rules.live_problem import BECAUSE, MEANS

#: Up to so many tickets each is told in full.
_FULL = 3
#: Facts of a finding, and characters of a quoted line that are shown without --verbose.
_FACTS, _QUOTED = 3, 240
#: Characters of what mended another thread.
_CURE = 120
_COLOURS = {"certain": "red", "likely": "yellow", "possible": "cyan"}


def headline(ticket: Ticket) -> str:
    """The verdict on a ticket, in one sentence."""
    if ticket.kind == "unreadable":
        return f"It cannot be judged: {ticket.error}."
    top = ticket.causes[0] if ticket.causes else None
    error = ticket.contents.error if ticket.contents else None
    if top is not None and ticket.named and top.is_effect:
        return f"The cause is not known. What happens: {name_of_cause(top)}"
    if top is not None and ticket.named:
        return {"certain": "The cause", "likely": "Likely cause", "possible": "Possible cause"}[top.confidence] + (
            f": {name_of_cause(top)}"
        )
    if ticket.verdict in ("healthy", "no-gpu"):
        return "Nothing is wrong with what was recorded."
    if error is not None and error.is_subject:
        return "The cause is not known: no known message explains the error that it ends with."
    if ticket.messages:
        return "Nothing in it decides between the causes of its messages."
    if ticket.states_failure:
        return "The cause is not known: no known message was found in it."
    if ticket.kind == "text":
        return "No cause is found in what it states, and it does not state enough for a verdict."
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
    for line in why(ticket, everything=style.verbosity > 0):
        yield from _wrapped(line, style, "  ")
    yield from _fix(ticket, style)
    for line in (*others(ticket, everything=style.verbosity > 0), *disputes(ticket), *similar_threads(ticket)):
        yield from _wrapped(line, style, hang="  ")
    if ticket.question:
        yield from _wrapped(f"Ask the reporter: {visible(ticket.question.why)}", style)
        yield "    " + click.style(visible(ticket.question.ask), bold=True)
    if ticket.contents is not None:
        for line in what_was_read(ticket, everything=style.verbosity > 0):
            yield from _wrapped(line, style, hang="  ")


def why(ticket: Ticket, *, everything: bool = False) -> Iterator[str]:
    """What the answer rests on, each thing once: the facts of the finding, and lines that stand in the text."""
    top = ticket.causes[0] if ticket.causes and ticket.named else None
    finding = next((one for one in ticket.findings if top and one.name == top.key), None)
    said = {one.text for one in ticket.messages}
    facts = [one for one in finding.evidence if one.fact not in (MEANS, BECAUSE)] if finding else []
    facts = [one for one in facts if not said.intersection((one.fact, one.value))]
    for one in facts if everything else facts[:_FACTS]:
        where = f"  [{visible(one.source.where)}]" if one.source and everything else ""
        yield f"{visible(one.fact)}: {visible(one.value)}{where}"
    if top is not None and top.because:
        yield f"{visible(top.because[0].upper() + top.because[1:])}."
    error = ticket.contents.error if ticket.contents else None
    is_beside = top is None and error is not None and error.is_subject
    for message in () if is_beside and not everything else quoted_messages(ticket, everything=everything):
        yield quotation(message)
        if top is None or everything:
            yield f"  {message.meaning}"
    if top is None and error is not None:
        yield unknown_error(error)


def quoted_messages(ticket: Ticket, *, everything: bool) -> tuple[Message, ...]:
    """The messages to show: all, or the one that speaks most for the first cause."""
    if everything or not ticket.messages:
        return ticket.messages
    if not ticket.named or not ticket.causes:
        return ticket.messages[:2]
    key = ticket.causes[0].key
    strength = {
        one: max((cause.prior for cause in row.causes if cause.key == key), default=0.0)
        for one in ticket.messages
        if (row := message_of(one.signature))
    }
    best = max(strength.values(), default=0.0)
    return tuple(one for one, much in strength.items() if best and much == best)[:1]


def quotation(message: Message) -> str:
    """A line of the text with its number; the meaning alone where the text says it in other words."""
    if message.line is None:
        return message.meaning
    return f'Line {message.line}: "{_cut(message.text)}"'


def unknown_error(error: UnknownError) -> str:
    """The strongest line that is not known, where it stands, and who printed it."""
    program = program_named(error.program) if error.printed else None
    by = f", printed by {program.name}" if program else "" if error.printed else ", the reporter's words"
    return f'Line {error.line}{by}: "{_cut(error.text)}"'


def _cut(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _QUOTED else f"{shown[: _QUOTED - 1]}\N{HORIZONTAL ELLIPSIS}"


def remedy_lines(remedy: Remedy, system: str | None) -> Iterator[tuple[bool, str]]:
    """What to do, line by line, each with whether it is a command."""
    for step in remedy.steps:
        for line in step_lines(step, windows=system == "windows"):
            yield is_command(step), line
    for command in remedy.commands:
        yield True, visible(command)


def remedy_for(ticket: Ticket) -> Remedy | None:
    """What to do about the first cause, where one is named."""
    key = ticket.causes[0].key if ticket.named and ticket.causes else None
    return next((one for one in ticket.remedies if one.cause == key), None)


def _fix(ticket: Ticket, style: Style) -> Iterator[str]:
    remedy = remedy_for(ticket)
    if remedy is None:
        return
    # What happens is not what is to be mended: its page says where to look.
    lead = "Next" if ticket.causes[0].is_effect else "Fix"
    yield from _wrapped(f"{lead}: {visible(remedy.say)}", style, hang="  ")
    for command, line in remedy_lines(remedy, ticket.system):
        bold = click.style(wrapping.verbatim(line), bold=True)
        yield from [f"    {bold}"] if command else _wrapped(line, style, "    ")
    if in_image(ticket, remedy):
        yield from _wrapped(IN_IMAGE, style, "  ")


#: What is installed in a container that runs is gone with it.
IN_IMAGE = "In a container: write it into the Dockerfile, build the image anew and start that."


def in_image(ticket: Ticket, remedy: Remedy) -> bool:
    """It installs packages, and the ticket is about a container."""
    around = ticket.contents.around if ticket.contents else ()
    lines = [line for command, line in remedy_lines(remedy, ticket.system) if command]
    return "container" in around and any(" pip install " in line for line in lines)


def first_sentence(text: str) -> str:
    """The first sentence of an advice."""
    return re.split(r"(?<=[.!?]) (?=[A-Z])", text, maxsplit=1)[0]


def others(ticket: Ticket, *, everything: bool = False) -> Iterator[str]:
    """The causes beside the first one; what to do about those that are likely; and what it is not."""
    told = ticket.causes[1:] if ticket.named else ticket.causes
    if not everything:
        told = tuple(one for one in told if is_worth_naming(one, ticket.causes[0]))[:2]
    said = {one.cause: one.say for one in ticket.remedies}
    for number, cause in enumerate(told):
        lead = "Or" if number else "It may also be" if ticket.named else "It may be, though little points to it"
        say = said.get(cause.key, "") if everything or cause.weight >= LIKELY else ""
        fix = f" Fix: {visible(say if everything else first_sentence(say))}" if say else ""
        yield f"{lead}: {name_of_cause(cause)}.{fix}"
    yield from exclusion_lines(ticket.ruled_out)


def exclusion_lines(rows: Iterable[RuledOut]) -> Iterator[str]:
    """What it is not, and by which fact."""
    for one in rows:
        yield f'It is not "{visible(one.words).rstrip(".")}": {visible(one.because)}.'


def similar_threads(ticket: Ticket) -> Iterator[str]:
    """Resolved threads like it: what each came down to, what mended it unless it is said above, and where it is."""
    if ticket.named:
        yield from (
            f"A thread in which it was this: {visible(one.address)} (read {one.read})" for one in ticket.similar
        )
        return
    for one in ticket.similar:
        cure = f" Fix: {visible(_short(one.cure))}" if one.cure else ""
        yield f"Similar: {visible(one.words).rstrip('.')}.{cure} {visible(one.address)} (read {one.read})"


def _short(cure: str) -> str:
    return textwrap.shorten(first_sentence(cure), _CURE, placeholder="\N{HORIZONTAL ELLIPSIS}")


def _wrapped(text: str, style: Style, indent: str = "", hang: str = "") -> Iterator[str]:
    yield from wrapped(text, style, indent=indent, hang=indent + (hang or ("  " if indent else "")))


def render_tickets_json(tickets: Iterable[Ticket]) -> Iterator[bytes]:
    """One JSON document, written ticket by ticket."""
    yield b'{"schema":%d,"tickets":[' % TRIAGE_SCHEMA
    for number, ticket in enumerate(tickets):
        yield (b",\n" if number else b"\n") + encode(fact_without_credentials(ticket))
    yield b"\n]}\n"


def looked_at(ticket: Ticket) -> Iterator[str]:
    """What is folded away where there is a page for it: other causes, the other messages, what was read."""
    yield from others(ticket, everything=True)
    shown = quoted_messages(ticket, everything=False)
    for message in ticket.messages:
        if message not in shown:
            yield f"{quotation(message)}: {message.meaning}" if message.line else message.meaning
    yield from disputes(ticket)
    yield from similar_threads(ticket)
    if ticket.contents is not None:
        yield from what_was_read(ticket)
