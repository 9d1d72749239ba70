"""Explains an error message: its causes, weighed by the known facts."""

from gpudoctor.diagnosis.next_question import Question
from gpudoctor.diagnosis.ranking import Candidate, RuledOut
from gpudoctor.diagnosis.remedies import Remedy
from gpudoctor.diagnosis.triage import Message, UnknownError
from gpudoctor.facts.base import Fact


class Explanation(Fact, frozen=True, kw_only=True):
    """An explained text. Without messages nothing in it was known."""

    messages: tuple[Message, ...] = ()
    #: Likeliest first.
    causes: tuple[Candidate, ...] = ()
    #: What its messages usually mean, and a fact excludes.
    ruled_out: tuple[RuledOut, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    #: linux, wsl, windows or macos, as far as it is known.
    system: str | None = None
    #: The strongest line, where no message is known.
    error: UnknownError | None = None
    question: Question | None = None
    #: Facts of a machine took part, not only the text's own.
    weighed: bool = False
