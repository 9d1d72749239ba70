"""The MCP tool `answer`: diagnoses what somebody sent, with lines to reply."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from gpudoctor.assist.conclusion import Conclusion, conclusion_of, facts_of, short_of
from gpudoctor.assist.judged import Judged, judged_input
from gpudoctor.assist.tool import CannotAnswer, Session, Takes, Tool
from gpudoctor.assist.tools.given_files import read_file, text_input
from gpudoctor.examine.tickets import Unreadable
from gpudoctor.facts.base import Fact

#: Lines of a reply, and of them commands.
_LINES, _COMMANDS = 12, 4


class Ticket(Takes, frozen=True, kw_only=True):
    """A ticket: its text, or the file that holds it."""

    text: Annotated[
        str | None,
        Meta(description="What somebody wrote or pasted, as it is: prose, logs, nvidia-smi, collect_env, pip list."),
    ] = None
    path: Annotated[str | None, Meta(description="A text, a snapshot, or a bundle of `gpudoctor report`.")] = None


class Answer(Fact, frozen=True, kw_only=True):
    """The judgement of a ticket."""

    conclusion: Conclusion
    #: What the ticket states of each layer; quoted.
    facts: dict[str, str]
    #: A reply, line by line.
    reply: tuple[str, ...]
    #: Why not all of it was read.
    cut: str | None = None


def answer(asked: Ticket, session: Session) -> Answer:
    """The judgement. Raises CannotAnswer."""
    judged = judged_of(asked.text, asked.path, session)
    quoting = session.quoting()
    found = conclusion_of(judged, quoting)
    contents = judged.ticket.contents
    return Answer(
        conclusion=found,
        facts={layer: quoting.text(text, 160) for layer, text in facts_of(judged) if not text.startswith("not seen")},
        reply=tuple(_reply(found))[:_LINES],
        cut=contents.cut if contents else None,
    )


def judged_of(text: str | None, path: str | None, session: Session) -> Judged:
    """The judgement of a text or of a file. Raises CannotAnswer."""
    if (text is None) == (path is None):
        raise CannotAnswer("Give either text or path.")
    given = text_input(text) if text is not None else read_file(path or "", session)
    try:
        return judged_input(given)
    except Unreadable as error:
        raise CannotAnswer(f"It cannot be judged: {session.quoting().text(str(error))}.") from None


def _reply(found: Conclusion) -> Iterator[str]:
    cause = found.cause
    if cause is None:
        yield "No cause is shown by what is stated."
    else:
        lead = {"certain": "The cause", "likely": "Likely", "possible": "Possibly"}[cause.sure]
        yield f"{lead}: {cause.means.rstrip('.')} ({cause.code or cause.name}).{f' {cause.here}' if cause.here else ''}"
    yield from (f"Evidence: {line}" for line in found.because[:1])
    for one in found.not_the_cause[:1]:
        yield f"Not {one.name}: {one.because}"
    if found.fix:
        commands = (found.fix.commands or found.fix.to_fill_in)[:_COMMANDS]
        yield f"Fix: {' '.join(found.fix.say[: 1 if commands else 2])}"
        yield from (f"  {line}" for line in commands)
    # What the facts show needs no second guess.
    others = found.others if cause is None or cause.sure != "certain" else ()
    same = found.fix.commands if found.fix else ()
    other = next((one for one in others if one.commands and not set(one.commands) & set(same)), None)
    if other:
        yield f"If it is {other.name} ({other.means.rstrip('.')}): {'; '.join(other.commands)}"
    if found.test:
        yield f"Test: {found.test}"
    if found.question:
        yield f"Please run, and paste what it prints: {found.question.ask}"


ANSWER = Tool(
    name="answer",
    title="Answer a ticket",
    about="Judges what somebody sent about a GPU that is not used: a forum post, log, nvidia-smi, collect_env, pip "
    "list or a gpudoctor snapshot. Gives the cause with its evidence, the exact commands, one test and one question. "
    "Facts that the ticket does not state are unknown, not fine.",
    takes=Ticket,
    gives=Answer,
    run=answer,
    short=lambda found: short_of(found.conclusion),
    deadline=60,
)
