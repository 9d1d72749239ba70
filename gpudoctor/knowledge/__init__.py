"""What is known of messages and causes, as data: what a message means, what causes it, the question that decides.

People edit messages/*.toml, fragments.toml, causes.toml, programs.toml and threads.tsv; scripts/compile_knowledge makes
of them the JSON that is loaded. `recognise(text)` finds the messages of a log or a pasted text, `causes_of(symptoms)`
ranks what they point to, `program_of(lines, number)` tells who printed a line, `similar_threads()` finds others.
"""

from gpudoctor.knowledge.causes import (
    Cause,
    LikelyCause,
    Remedy,
    all_causes,
    causes_of,
    causes_of_packages,
    causes_without_rule,
    what_follows_from,
    words_of_cause,
)
from gpudoctor.knowledge.message import Message, PossibleCause, message_of, messages
from gpudoctor.knowledge.programs import Program, program_named, program_of, program_told, programs
from gpudoctor.knowledge.recognition import lines_that_matter, recognise
from gpudoctor.knowledge.surroundings import subjects_in, surroundings_in
from gpudoctor.knowledge.threads import Thread, similar_threads

__all__ = [
    "Cause",
    "LikelyCause",
    "Message",
    "PossibleCause",
    "Program",
    "Remedy",
    "Thread",
    "all_causes",
    "causes_of",
    "causes_of_packages",
    "causes_without_rule",
    "lines_that_matter",
    "message_of",
    "messages",
    "program_named",
    "program_of",
    "program_told",
    "programs",
    "recognise",
    "similar_threads",
    "subjects_in",
    "surroundings_in",
    "what_follows_from",
    "words_of_cause",
]
