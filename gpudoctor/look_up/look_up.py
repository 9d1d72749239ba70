"""Answers a `look-up` question by whichever kind of look-up recognises it."""

from difflib import get_close_matches

from gpudoctor.facts.bounded import bounded
from gpudoctor.knowledge.matrix.look_up_types import KnownFault
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.look_up.answer import Found, LookedUp
from gpudoctor.look_up.dates import date_of
from gpudoctor.look_up.library import library
from gpudoctor.look_up.made_for import made_for
from gpudoctor.look_up.records import faults, purposes, recipes
from gpudoctor.look_up.symbol import symbol
from gpudoctor.look_up.wheel import wheel

#: Characters of a question.
LONGEST = 2000


def look_up(question: str, matrix: Matrix) -> LookedUp:
    """What the tables and the rules of names say to a question; nothing found is "not in the tables"."""
    text = bounded(question[:LONGEST]).strip()
    if text.endswith(".whl") or ".whl" in text:
        single = wheel(next(word for word in text.split() if ".whl" in word), matrix)
        return LookedUp(question=text, found=(single,) if single else ())
    found: list[Found] = [*recipes(text, matrix), *faults(text, matrix)]
    found += [one for one in (library(text, matrix), date_of(text, matrix)) if one is not None]
    found += made_for(text, matrix)
    if not found:
        named = symbol(text)
        found = [named] if named is not None else []
    return LookedUp(question=text, found=tuple(found), near=() if found else _near(text, matrix))


def _near(text: str, matrix: Matrix) -> tuple[str, ...]:
    products = {row.product for row in matrix.table("faults") if isinstance(row, KnownFault)}
    return tuple(get_close_matches(text.lower(), [*purposes(matrix), *sorted(products)], n=3))
