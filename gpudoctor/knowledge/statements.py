"""Recognises reporters' statements ("nvidia-smi works on the host"): statements.toml."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice

from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.known_surroundings import PointsTo, Surrounding, known
from gpudoctor.tables import records_of


class Statement(Fact, frozen=True, kw_only=True):
    """One thing that is said: a record of statements.toml. Its id is a surrounding, and a condition that refutes."""

    id: str
    #: The fact, as the end of a sentence.
    say: str
    #: Regular expressions for one sentence, without regard to case; one of them matches.
    pattern: tuple[str, ...]
    #: Lower-case words of which one is in every sentence that makes it.
    needles: tuple[str, ...] = ()
    #: What the matched words must not hold.
    unless: tuple[str, ...] = ()
    #: What the rest of the text must not hold: there the words may be of another place.
    open_beside: tuple[str, ...] = ()
    #: It is told without asking or wishing: what a sentence names is there, whatever it says of it.
    is_named: bool = False
    #: Packages whose installation makes it, normalised: a command that the text says was run.
    installs: tuple[str, ...] = ()
    #: Conditions that hold where it is said.
    shows: tuple[str, ...] = ()
    #: Causes of what fails all the same; the first that fits.
    points_to: tuple[PointsTo, ...] = ()


@lru_cache(maxsize=1)
def statements() -> tuple[Statement, ...]:
    """All of them, in the order of the file."""
    return records_of("knowledge/statements", tuple[Statement, ...])


@lru_cache(maxsize=256)
def what_shows(condition: str) -> tuple[Statement, ...]:
    """The statements where a condition holds; the one of that name shows itself."""
    return tuple(one for one in statements() if condition == one.id or condition in one.shows)


def pointed_to(around: AbstractSet[str], met: AbstractSet[str], is_open: Callable[[str], bool] = bool) -> Iterator[str]:
    """The causes that what is said, or the place, makes likely where something was met; of each the first open one."""
    rows: tuple[Statement | Surrounding, ...] = (*statements(), *known(around)) if met else ()
    for one in rows:
        if one.id in around:
            fits = (
                each
                for each in one.points_to
                if _fits(each.beside, around) and _fits(each.met, met) and is_open(each.cause)
            )
            yield from (each.cause for each in islice(fits, 1))


def _fits(wanted: tuple[str, ...], there: AbstractSet[str]) -> bool:
    return not wanted or not there.isdisjoint(wanted)
