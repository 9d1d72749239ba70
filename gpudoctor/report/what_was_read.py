"""Renders what was read from a ticket: facts with their lines, contradictions, how much was used."""

from collections.abc import Iterator

from gpudoctor.diagnosis.triage import Contents, Ticket
from gpudoctor.report.commands import visible

#: Facts and kinds of text that are shown without --verbose.
_FACTS, _FORMS = 12, 4
#: Values of one contradiction that are shown.
_VALUES = 6
#: Encodings that need no word.
_USUAL = (None, "utf-8")


def disputes(ticket: Ticket) -> Iterator[str]:
    """What the text states in two ways."""
    for one in ticket.contents.disputes if ticket.contents else ():
        values = [f"{visible(value)} ({visible(where)})" for value, where in one.values]
        more = len(values) - _VALUES
        said = "; ".join([*values[:_VALUES], f"and {more} more"] if more > 0 else values)
        taken = f" {visible(one.taken)} was believed." if one.taken else " Neither was believed."
        yield f"It contradicts itself on {one.fact}: {said}.{taken}"


def what_was_read(ticket: Ticket, *, everything: bool = False) -> Iterator[str]:
    """The facts that were read, with their lines; how much of the text was used, and how it is written."""
    contents = ticket.contents
    assert contents is not None
    facts = [f"{visible(one.text)} (line {one.line})" if one.line else visible(one.text) for one in contents.facts]
    if not everything and len(facts) > _FACTS:
        facts[_FACTS:] = [f"{len(facts) - _FACTS} more"]
    if facts:
        yield f"Read: {', '.join(facts)}."
    if everything or not facts or contents.cut or contents.encoding not in _USUAL:
        yield _forms_read(ticket, contents, places=everything)


def _forms_read(ticket: Ticket, contents: Contents, *, places: bool) -> str:
    forms = [f"{one.form} (line {one.line})" if places else one.form for one in contents.recognised]
    if not places and len(forms) > _FORMS:
        forms[_FORMS:] = [f"{len(forms) - _FORMS} more"]
    read = ", ".join(forms) or ("known messages only" if ticket.messages else "no known form")
    encoding = f"; it is written in {contents.encoding}" if contents.encoding not in _USUAL else ""
    cut = f"; {contents.cut}" if contents.cut else ""
    return f"Read: {read}; {contents.used} of {contents.lines} lines{encoding}{cut}."
