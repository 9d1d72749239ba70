"""The known messages that programs print (messages/*.toml), and what a record of one holds."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.live import Symptom
from gpudoctor.facts.needles import Ways
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.knowledge.readings import plain_words
from gpudoctor.tables import lines_of, records_of

#: How often a message is this cause's, in words; and what that counts, between 0 and 1.
Level = Literal["strong", "usual", "possible", "rare"]
STRENGTH: dict[Level, float] = {"strong": 0.9, "usual": 0.6, "possible": 0.3, "rare": 0.1}


class PossibleCause(Fact, frozen=True, kw_only=True):
    """A cause of a message and how often it is that one, before anything else is known.

    `key` is the name of a rule, or an id of causes.toml. `where` names surroundings in which that holds, and outside of
    which it hardly does.
    """

    key: str
    level: Level
    where: str | None = None

    @property
    def prior(self) -> float:
        """The level as a number; in its surroundings, where it has any."""
        return STRENGTH[self.level]


class Message(Fact, frozen=True, kw_only=True):
    """A known message of a program, or a thing that people say of it."""

    id: str
    #: Regular expressions, matched without regard to case within one line, each with the words that it demands. The
    #: names of their groups end in the number of the way, as all of them may become one.
    ways: tuple[tuple[str, Ways], ...]
    #: Lower-case words of which one is in every line that matches; where they are loaded, in messages_index.json only.
    needles: tuple[str, ...] = ()
    #: One sentence that a beginner understands.
    meaning: str
    #: The frameworks that print it; empty where several programs do.
    programs: tuple[str, ...] = ()
    causes: tuple[PossibleCause, ...]
    #: The one command or fact that decides between the causes.
    ask: str
    #: The page that defines or explains it.
    source: str
    #: Counts only where nothing more specific was recognised in the line.
    fallback: bool = False
    #: Counts only where the text holds no other message.
    alone: bool = False
    #: What no line of the text may have: beside it the message is of a run that is well.
    not_beside: tuple[str, ...] = ()
    #: The rule that reports a run which failed with it.
    reported_by: str

    @property
    def pattern(self) -> str:
        """One expression of all ways."""
        return "|".join(way for way, _ in self.ways)


class _Index(Fact, frozen=True, kw_only=True):
    """Where each message stands in messages.json, a line each, from 0."""

    ids: tuple[str, ...]
    needles: dict[str, tuple[int, ...]]


def messages() -> tuple[Message, ...]:
    """All known messages."""
    return tuple(map(message_at, range(len(_index().ids))))


def message_of(id: str) -> Message | None:  # noqa: A002 - what the record calls it
    """The message of that id."""
    number = _numbers().get(id)
    return None if number is None else message_at(number)


@cache
def message_at(number: int) -> Message:
    """The message of that line: a text needs few of them, and the others are not read."""
    return decode_json(_lines()[number].rstrip(b","), type=Message)


def numbers_by_needle() -> dict[str, tuple[int, ...]]:
    """The lines of the messages that have a needle."""
    return _index().needles


@lru_cache(maxsize=1)
def _index() -> _Index:
    return records_of("knowledge/messages_index", _Index)


@lru_cache(maxsize=1)
def _numbers() -> dict[str, int]:
    ids = _index().ids
    return dict(zip(ids, range(len(ids)), strict=True))


@lru_cache(maxsize=1)
def _lines() -> list[bytes]:
    return lines_of("knowledge/messages")


def values_named(symptom: Symptom, group: str) -> Iterator[str]:
    """What the groups of that name in its message's pattern found in its line; their names end in a number there."""
    message = message_of(symptom.signature)
    if message is None or not any(f"(?P<{group}_" in way for way, _ in message.ways):
        return
    texts = (symptom.text, plain_words(symptom.text))
    if match := next(filter(None, (re.search(message.pattern, text, re.I) for text in texts)), None):
        yield from (value for name, value in match.groupdict().items() if value and name.rpartition("_")[0] == group)
