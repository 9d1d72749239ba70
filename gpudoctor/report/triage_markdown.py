"""Renders diagnosed tickets as Markdown, to reply in an issue."""

from collections.abc import Iterable, Iterator

from gpudoctor.diagnosis.triage import Ticket
from gpudoctor.report.commands import visible
from gpudoctor.report.triage import headline, looked_at, remedy_for, remedy_lines, why


def render_tickets_markdown(tickets: Iterable[Ticket]) -> str:
    """For a reply in an issue: the verdict first, what to ask, the rest folded."""
    judged = tuple(tickets)
    return "\n".join("\n".join(_markdown(ticket, alone=len(judged) == 1)) for ticket in judged) + "\n"


def _markdown(ticket: Ticket, *, alone: bool) -> Iterator[str]:
    if not alone:
        yield f"### {_escaped(ticket.name)}\n"
    yield f"**{_escaped(headline(ticket))}**\n"
    for line in why(ticket):
        yield f"- `{_code(line.strip())}`"
    remedy = remedy_for(ticket)
    if remedy is not None:
        yield f"\nFix: {_escaped(remedy.say)}\n"
        lines = [line for _, line in remedy_lines(remedy, ticket.system)]
        if lines:
            yield "```sh\n" + "\n".join(_code(line) for line in lines) + "\n```"
    if ticket.question:
        yield f"\nPlease run this and paste what it prints. {_escaped(ticket.question.why)}\n"
        yield f"```sh\n{_code(ticket.question.ask)}\n```"
    folded = tuple(looked_at(ticket))
    if folded:
        yield "\n<details><summary>What was looked at</summary>\n"
        yield from (f"- {_escaped(line)}" for line in folded)
        yield "\n</details>"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|@" else char for char in visible(text).replace("\n", " "))


def _code(text: str) -> str:
    """Text within code marks."""
    return visible(text).replace("`", "'")
