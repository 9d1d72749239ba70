"""From messages to causes: which are likeliest, all messages and the surroundings together; and causes in words."""

import os
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

import msgspec

from gpudoctor.knowledge.message import LikelyCause, message_of
from gpudoctor.model.base import Fact
from gpudoctor.model.finding import Severity
from gpudoctor.model.live import Symptom

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "causes.json")

Layer = Literal[
    "gpu", "driver", "host", "network", "container", "toolkit", "libraries", "python", "frameworks", "program"
]


class Cause(Fact, frozen=True, kw_only=True):
    """A cause that no rule tells: one record of causes.toml."""

    id: str
    #: Where in the stack it is.
    layer: Layer
    severity: Severity
    #: One sentence that a beginner understands.
    words: str
    #: Nothing has to be done.
    harmless: bool = False


@lru_cache(maxsize=1)
def causes_without_rule() -> dict[str, Cause]:
    """The causes that no rule tells, by id."""
    with open(_FILE, "rb") as stream:
        return {cause.id: cause for cause in msgspec.json.decode(stream.read(), type=tuple[Cause, ...])}


#: A cause that needs surroundings which are not known to be there, or are, counts by this factor.
ELSEWHERE, THERE = 0.4, 3.0
_MOST = 0.97


def causes_of(symptoms: Iterable[Symptom], surroundings: Iterable[str] = ()) -> tuple[LikelyCause, ...]:
    """The causes of all messages together, likeliest first. Each message adds its doubt; none takes any away."""
    around = frozenset(surroundings)
    unlikely: dict[str, float] = {}
    for name in dict.fromkeys(symptom.signature for symptom in symptoms):
        row = message_of(name)
        for cause in row.causes if row else ():
            unlikely[cause.key] = unlikely.get(cause.key, 1.0) * (1.0 - _weight(cause, around))
    ranked = sorted(unlikely.items(), key=lambda item: item[1])
    return tuple(LikelyCause(key=key, prior=round(1.0 - doubt, 4)) for key, doubt in ranked)


def _weight(cause: LikelyCause, around: frozenset[str]) -> float:
    if cause.where is None:
        return min(cause.prior, _MOST)
    return min(cause.prior * (THERE if cause.where in around else ELSEWHERE), _MOST)


def words_of_cause(key: str, rule_summaries: dict[str, str]) -> str:
    """A cause in one sentence: the summary of the rule of that name, or our own words."""
    cause = causes_without_rule().get(key)
    return cause.words if cause else rule_summaries.get(key, key)
