"""Which facts, or what in a text, already answer a question's command: answers.tsv."""

from functools import lru_cache
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.tables import rows_of

_NONE = "-"
#: What begins the name of a package whose version a command that installs it states, among what a text shows.
PINNED = "pinned: "
_INSTALL = re.compile(r"\b(?:pip3?|conda|mamba|uv|poetry)\b[^\n]{0,80}\b(?:install|add)\b([^\n]{0,600})", re.IGNORECASE)
_PIN = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]{1,60})(?:\[[\w,]{1,60}\])?={1,2}\d")


class Answer(NamedTuple):
    """A row of answers.tsv."""

    #: A regular expression for the part of a question.
    asked: str
    #: Names of `gpudoctor.diagnosis.answered`: all of them together answer it.
    facts: tuple[str, ...]
    #: A regular expression for what shows it in a text.
    shown: str | None


@lru_cache(maxsize=1)
def answers() -> tuple[Answer, ...]:
    """All of them."""
    return tuple(
        Answer(asked, () if facts == _NONE else tuple(facts.split()), None if shown == _NONE else shown)
        for asked, facts, shown in rows_of("knowledge/answers")
    )


def answers_to(part: str) -> tuple[Answer, ...]:
    """Those of that part of a question."""
    return tuple(one for one in answers() if re.fullmatch(one.asked, part))


def answers_shown(text: str) -> tuple[str, ...]:
    """What a text answers by what it shows, as `asked` has it."""
    flags = re.IGNORECASE | re.MULTILINE | re.ASCII
    shown = (one.asked for one in answers() if one.shown and re.search(one.shown, text, flags))
    pinned = (f"{PINNED}{name.lower()}" for line in _INSTALL.findall(text) for name in _PIN.findall(line))
    return tuple(dict.fromkeys((*shown, *pinned)))
