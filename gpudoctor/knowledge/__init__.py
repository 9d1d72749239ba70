"""What is known of messages and causes, as data: what a message means, what causes it, the question that decides.

People edit messages/*.toml, fragments.toml and causes.toml; scripts/compile_knowledge makes of them the JSON that is
loaded. `recognise(text)` finds the messages of a log or a pasted text, `causes_of(symptoms)` ranks what they point to.
"""

from gpudoctor.knowledge.causes import Cause, LikelyCause, all_causes, causes_of, causes_without_rule, words_of_cause
from gpudoctor.knowledge.message import Message, PossibleCause, message_of, messages
from gpudoctor.knowledge.recognition import lines_that_matter, recognise
from gpudoctor.knowledge.surroundings import surroundings_in

__all__ = [
    "Cause",
    "LikelyCause",
    "Message",
    "PossibleCause",
    "all_causes",
    "causes_of",
    "causes_without_rule",
    "lines_that_matter",
    "message_of",
    "messages",
    "recognise",
    "surroundings_in",
    "words_of_cause",
]
