"""One expression of the patterns of a message."""

import re
from collections.abc import Iterable

_GROUP = re.compile(r"\(\?P([<=])(\w+)")


def joined(ways: Iterable[str]) -> str:
    """One pattern of all; named groups, of which an expression may have one of a name, have the number of their way."""
    named = [_GROUP.sub(rf"(?P\1\2_{number}", way) for number, way in enumerate(ways, 1)]
    words = [way.removeprefix(r"\b") for way in named if _begins_a_word(way)]
    if len(words) < 2:
        return "|".join(named)
    # One look for the beginning of a word, instead of one for each way at each character.
    rest = [way for way in named if not _begins_a_word(way)]
    return "|".join((rf"\b(?:{'|'.join(words)})", *rest))


def _begins_a_word(way: str) -> bool:
    r"""It begins with \b, and offers no choice outside of brackets."""
    depth, bare = 0, re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "", way)
    for character in bare:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "|" and not depth:
            return False
    return way.startswith(r"\b")
