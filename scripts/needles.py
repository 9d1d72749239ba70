r"""Derives from a pattern the words without which nothing matches it.

A word is a run of characters that the pattern demands. Small choices (`no[- ]network`, `libs?`, `(?:can|could) not`)
are written out; where they grow too many, and at everything open (`\w+`, `[^\n]{0,60}`), a word ends. Of all that
would do, the set whose shortest word is longest is taken for the needles, of which one stands in every line that
matches; `ways_of` has all of them. Python's own parser reads the pattern.
"""

import re
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

if sys.version_info >= (3, 11):
    from re import _constants as codes
    from re import _parser as parser
else:
    import sre_constants as codes
    import sre_parse as parser

#: Ways to write one word that are told apart, and the longest word: a longer one is no rarer.
MOST, LONGEST = 12, 16
#: Ways to match a pattern that are told apart; and the shortest word that tells a text without it.
WAYS, LEAST = 64, 2

Words = frozenset[str]
#: Nothing is demanded.
EMPTY: Words = frozenset(("",))


class NoWords(ValueError):
    """The pattern demands no word."""


def needles_of(pattern: str) -> tuple[str, ...]:
    """Lower-case words of which one is in every text that matches. Raises NoWords."""
    parsed = parser.parse(pattern, re.IGNORECASE)
    best = max(_demanded(parsed), key=_worth, default=None)
    if best is None or _shortest(best) < 3:
        raise NoWords(pattern)
    return tuple(sorted(_shortened(best)))


def ways_of(pattern: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The ways to match a pattern, each as sets of lower-case words: of each set one word is in every text it matches.

    None where one of the ways demands no word.
    """
    parsed: Any = parser.parse(pattern, re.IGNORECASE)
    ways = [_sets(way) for way in _ways(list(parsed))]
    return tuple(dict.fromkeys(ways)) if all(ways) else ()


def _ways(items: list[Any], most: int = WAYS) -> list[list[Any]]:
    """The sequences of which a text matches one: a choice that is open at the top is made."""
    for at, (code, value) in enumerate(items):
        inner = list(value[3]) if code is codes.SUBPATTERN else []
        chosen = inner[0] if len(inner) == 1 else (code, value)
        if chosen[0] is codes.BRANCH and len(chosen[1][1]) <= most:
            ways = chosen[1][1]
            return [way for one in ways for way in _ways([*items[:at], *one, *items[at + 1 :]], most // len(ways))]
    return [items]


def _sets(items: list[Any]) -> tuple[tuple[str, ...], ...]:
    """What a sequence demands, but for what follows from the rest of it."""
    demanded = (words for words in _demanded(items, around=True) if _shortest(words) >= LEAST)
    found = {frozenset(_shortened(frozenset(word[:LONGEST] for word in words))) for words in demanded}
    needed = [one for one in found if not any(_follows(one, other) for other in found - {one})]
    # Of many words one is in nearly every text.
    few = [one for one in needed if len(one) <= MOST] or needed
    return tuple(sorted(tuple(sorted(one)) for one in few))


def _follows(words: Words, other: Words) -> bool:
    """Each word of the other set has one of these in it."""
    return all(any(word in longer for word in words) for longer in other)


def _worth(words: Words) -> tuple[int, int]:
    return min(_shortest(words), LONGEST), -len(words)


def _shortest(words: Words) -> int:
    return min(map(len, words))


def _shortened(words: Words) -> set[str]:
    """Without words that hold another one."""
    return {word for word in words if not any(other != word and other in word for other in words)}


def _demanded(items: Any, run: Words = EMPTY, *, around: bool = False) -> Iterator[Words]:
    """Each set of words of which one is in every match of the sequence, which stands after `run`; or `around` it."""
    for code, value in items:
        if code is codes.ASSERT and around:
            yield from _demanded(value[1], around=True)
        written = _written(code, value)
        longer = _few(_joined(run, written)) if written is not None else None
        if longer is not None:
            run = longer
            continue
        if all(run):
            yield run
        if written is None:
            yield from _inside(code, value, run)
        run = written or EMPTY
    if all(run):
        yield run


def _inside(code: Any, value: Any, run: Words) -> Iterator[Words]:
    """What a part that cannot be written out demands, with what stands before it."""
    if code is codes.BRANCH:
        ways = [max(_demanded(way, run), key=_worth, default=None) for way in value[1]]
        if None not in ways:
            yield EMPTY.union(*(way for way in ways if way is not None)) - EMPTY
    elif code is codes.SUBPATTERN:
        yield from _demanded(value[3], run)
    elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[0] >= 1:
        yield from _demanded(value[2], run)


def _written(code: Any, value: Any) -> Words | None:
    """All that a part can match, where that is little; None where it is not."""
    if code is codes.LITERAL:
        return frozenset((chr(value).lower(),))
    if code in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
        return EMPTY
    if code is codes.IN:
        return frozenset(chr(one).lower() for _, one in value) if all(c is codes.LITERAL for c, _ in value) else None
    if code is codes.SUBPATTERN:
        return _sequence(value[3])
    if code is codes.BRANCH:
        ways = [_sequence(way) for way in value[1]]
        return _few(frozenset().union(*(way for way in ways if way is not None))) if None not in ways else None
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[1] == 1:
        inner = _sequence(value[2])
        return inner | EMPTY if inner is not None and value[0] == 0 else inner
    return None


def _sequence(items: Any) -> Words | None:
    found = EMPTY
    for code, value in items:
        written = _written(code, value)
        if written is None:
            return None
        longer = _few(_joined(found, written))
        if longer is None:
            return None
        found = longer
    return found


def _joined(first: Words, second: Words) -> Words:
    return frozenset(a + b for a, b in product(first, second))


def _few(words: Words) -> Words | None:
    return words if len(words) <= MOST else None
