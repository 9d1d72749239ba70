"""The words that an expression demands: most expressions have none of theirs in a text, and need not be compiled."""

import os
from contextlib import suppress

import msgspec

from gpudoctor.facts.typed_json import decode_json

#: The ways to match an expression, each as sets of lower-case words: one of each set is in every text it matches.
Ways = tuple[tuple[tuple[str, ...], ...], ...]

_FILE = os.path.join(os.path.dirname(__file__), "needles.json")
_rows: dict[str, msgspec.Raw] = {}


def load() -> None:
    """Look them up from now on: a text meets hundreds of expressions. A check meets forty, and compiles them."""
    with suppress(OSError, msgspec.DecodeError):  # they save time, and nothing else
        if not _rows:
            with open(_FILE, "rb") as stream:
                _rows.update(decode_json(stream.read(), type=dict[str, msgspec.Raw]))


def ways_of(pattern: str) -> Ways:
    """Those of an expression of the package; none where the expression is not known, or demands nothing."""
    raw = _rows.get(pattern)
    return decode_json(bytes(raw), type=Ways) if raw else ()


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
