"""The words that an expression demands: most expressions have none of theirs in a text, and need not be compiled."""

import os
from contextlib import suppress
from functools import lru_cache

import msgspec

#: The ways to match an expression, each as sets of lower-case words: one of each set is in every text it matches.
Ways = tuple[tuple[tuple[str, ...], ...], ...]

_FILE = os.path.join(os.path.dirname(__file__), "needles.json")


def ways_of(pattern: str) -> Ways:
    """Those of an expression of the package; none where the expression is not known, or demands nothing."""
    raw = _rows().get(pattern)
    return msgspec.json.decode(raw, type=Ways) if raw else ()


def may_match(ways: Ways, lower: str) -> bool:
    """Whether a text, in lower case, has the words of one of the ways; where none is known it may."""
    for way in ways:
        for words in way:
            for word in words:
                if word in lower:
                    break
            else:
                break
        else:
            return True
    return not ways


@lru_cache(maxsize=1)
def _rows() -> dict[str, msgspec.Raw]:
    with suppress(OSError, msgspec.DecodeError), open(_FILE, "rb") as stream:
        return msgspec.json.decode(stream.read(), type=dict[str, msgspec.Raw])
    return {}  # it saves time, and nothing else
