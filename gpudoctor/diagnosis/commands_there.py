"""Replaces commands that have another path or name at a place: commands_at_places.tsv."""

from collections.abc import Set as AbstractSet
from functools import lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.tables import rows_of

_NONE = "-"


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[frozenset[str], str, str], ...]:
    rows = rows_of("knowledge/commands_at_places")
    return tuple((frozenset(words.split()), pattern, instead) for words, pattern, instead in rows)


def as_there(command: str, words: AbstractSet[str]) -> str:
    """A command, or a part of a question, as it is where these words are true; "" where it is none there."""
    for place, pattern, instead in _rows():
        if not place <= words:
            continue
        if instead == _NONE:
            if re.fullmatch(pattern, command):
                return ""
        else:
            command = re.sub(pattern, instead.replace("\\", r"\\"), command)
    return command
