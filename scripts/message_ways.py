"""The ways in which a message is printed: one expression each, in the order in which they are tried."""

import re
from collections.abc import Iterable

from needles import ways_of

from gpudoctor.facts.needles import Ways

_GROUP = re.compile(r"\(\?P[<=]\w+")


def message_ways(patterns: Iterable[str]) -> tuple[tuple[str, Ways], ...]:
    """Each with the words that it demands; those first that begin a word. Named groups have the number of their way."""
    named = [_GROUP.sub(rf"\g<0>_{number}", way) for number, way in enumerate(patterns, 1)]
    if sum(map(_begins_a_word, named)) > 1:
        named.sort(key=lambda way: not _begins_a_word(way))
    return tuple((way, ways_of(way)) for way in named)


def _begins_a_word(way: str) -> bool:
    r"""It begins with \b, and offers no choice outside of brackets."""
    depth, bare = 0, re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "", way)
    for character in bare:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "|" and not depth:
            return False
    return way.startswith(r"\b")
