"""Strings built from an expression's own structure, which make one with a square or a cube in it slow."""

import random
import re
import sys
from collections.abc import Iterator
from typing import Any

if sys.version_info >= (3, 11):
    from re import _parser as parser
else:
    import sre_parse as parser

#: A repeated part is drawn so often at the most.
_REPEATED = 12


def sample(parsed: Any, chance: random.Random) -> list[str]:
    """One text that the expression may match, in the pieces of its structure."""
    return [_piece(str(op), argument, chance) for op, argument in parsed]


def _piece(op: str, argument: Any, chance: random.Random) -> str:
    if op == "LITERAL":
        return chr(argument)
    if op == "NOT_LITERAL":
        return "a" if argument != ord("a") else "b"
    if op == "ANY":
        return "a"
    if op == "IN":
        return _of_class(argument, chance)
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = argument
        count = min(max(int(least), 1 if int(most) else 0), _REPEATED) if least else min(int(most), 3)
        return "".join("".join(sample(inner, chance)) for _ in range(count))
    if op == "SUBPATTERN":
        return "".join(sample(argument[3], chance))
    if op == "ATOMIC_GROUP":
        return "".join(sample(argument, chance))
    if op == "BRANCH":
        return "".join(sample(chance.choice(argument[1]), chance))
    return ""


def _of_class(items: Any, chance: random.Random) -> str:
    choices = []
    negated = str(items[0][0]) == "NEGATE"
    for op, argument in items:
        if str(op) == "LITERAL":
            choices.append(chr(argument))
        elif str(op) == "RANGE":
            choices += [chr(argument[0]), chr(argument[1])]
        elif str(op) == "CATEGORY":
            choices.append({"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "1", "CATEGORY_WORD": "a"}.get(str(argument), "-"))
    if negated:
        return next(char for char in "a1.-=/:~ " if char not in choices)
    return chance.choice(choices)


def hostile(pattern: str, size: int, chance: random.Random) -> Iterator[str]:
    """Texts of about `size` characters: what the expression matches, each piece of it, and its beginnings repeated."""
    pieces = [piece for piece in sample(parser.parse(pattern, re.IGNORECASE), chance) if piece]
    whole = "".join(pieces)
    if not pieces:
        return
    units = {whole, *pieces, *("".join(pieces[:number]) for number in range(1, len(pieces)))}
    for unit in sorted(units):
        yield (unit * (size // len(unit) + 1))[:size]
    for number in range(1, len(pieces)):
        last = pieces[number - 1][-1]
        yield "".join(pieces[:number]) + last * size + "\n!"
