"""Explains a pasted error message: finds the known messages and ranks their causes."""

import msgspec

from gpudoctor.diagnosis.assumptions import findings_with_gpu
from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.explanation import Explanation
from gpudoctor.diagnosis.next_question import Asked, next_question
from gpudoctor.diagnosis.ranking import MOST_RULED_OUT, rank, shown_causes
from gpudoctor.diagnosis.remedies import remedies
from gpudoctor.diagnosis.surroundings import system_of
from gpudoctor.diagnosis.triage import Message, excluded
from gpudoctor.examine.tickets import Unreadable, contents_of
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.message import message_of
from gpudoctor.redact.credentials import fact_without_credentials
from gpudoctor.rules.load import load_rules
from gpudoctor.tickets.pasted import NotText
from gpudoctor.tickets.read import ingest

#: Messages that are shown.
_MOST = 6


def explained(raw: bytes, facts: Snapshot | None = None) -> Explanation:
    """What a text means; `facts` of a machine outrank those of the text. Raises Unreadable."""
    matrix, rules = load_matrix(), load_rules()
    if not raw.strip():
        raise Unreadable("it is empty")
    try:
        made = ingest(raw, matrix)
    except NotText as error:
        raise Unreadable(str(error)) from None
    # Before words of it stand in commands: a part of a token no longer says what it is.
    snapshot = fact_without_credentials(made.snapshot if facts is None else _with(facts, made.symptoms))
    diagnosis = diagnose(snapshot, matrix, rules)
    contents = contents_of(made)
    system = system_of(snapshot, contents.around)
    supposed = findings_with_gpu(snapshot, matrix, rules) if facts is None else ()
    causes = rank(snapshot, diagnosis.findings, rules, around=contents.around, assumed=supposed)
    shown = shown_causes(causes)
    unknown = contents.error if not made.symptoms else None
    asked = Asked(system=system, given=contents.given, program=unknown.program if unknown else None)
    return Explanation(
        messages=_messages(made.symptoms),
        causes=shown,
        ruled_out=excluded(shown, snapshot, contents.around, rules)[:MOST_RULED_OUT],
        remedies=remedies(shown, diagnosis.findings, rules, system, snapshot, contents.around),
        system=system,
        error=unknown,
        question=next_question(snapshot, shown, (), asked) if made.symptoms or asked.program else None,
        weighed=facts is not None,
    )


def _with(facts: Snapshot, symptoms: tuple[Symptom, ...]) -> Snapshot:
    live = facts.live if isinstance(facts.live, Live) else Live()
    return msgspec.structs.replace(facts, live=msgspec.structs.replace(live, symptoms=(*live.symptoms, *symptoms)))


def _messages(symptoms: tuple[Symptom, ...]) -> tuple[Message, ...]:
    rows: dict[str, Message] = {}
    for one in symptoms:
        row = message_of(one.signature)
        if row is not None:
            rows.setdefault(row.id, Message(text=one.text, meaning=row.meaning, signature=row.id))
    return tuple(rows.values())[:_MOST]
