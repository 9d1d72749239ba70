"""The strongest error line of a text that matches no known message."""

from collections.abc import Sequence

from gpudoctor.diagnosis.triage import UnknownError
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.knowledge.message import Message, message_of
from gpudoctor.knowledge.programs import program_of
from gpudoctor.redact.credentials import excerpt
from gpudoctor.tickets.read import Ingested
from gpudoctor.tickets.unexplained import is_fatal, is_of_no_gpu, strongest_error

#: The rule that reports it.
_SEES_NONE = "framework-sees-no-gpu"
#: Characters of a line that are quoted.
_QUOTED = 300


def unknown_error(made: Ingested, lines: Sequence[str]) -> UnknownError | None:
    """The strongest error line that no known message explains, and whether the text is about it."""
    found = strongest_error(lines, {one.text for one in made.symptoms})
    if found is None:
        return None
    program = program_of(lines, found.line, printed=found.printed)
    return UnknownError(
        text=excerpt(found.text, _QUOTED),
        line=found.line,
        program=program.id if program else None,
        printed=found.printed,
        is_subject=found.printed and found.fatal and _is_subject(found.text, made, lines),
    )


def _is_subject(error: str, made: Ingested, lines: Sequence[str]) -> bool:
    """What is known in the text is harmless; or a notice that no GPU is used, beside an error that is of none."""
    title = next((line for line in lines if line.strip()), "")
    rows = [(one.text, row) for one in made.symptoms if (row := message_of(one.signature))]
    if all(_is_harmless(row) for _, row in rows):
        return bool(rows)
    return is_of_no_gpu(error) and all(
        not is_fatal(text) and text not in title and (row.reported_by == _SEES_NONE or _is_harmless(row))
        for text, row in rows
    )


def _is_harmless(row: Message) -> bool:
    records = [all_causes().get(one.key) for one in row.causes]
    return all(one is not None and (one.harmless or one.costs_speed) for one in records)
