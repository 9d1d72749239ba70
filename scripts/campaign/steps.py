"""A step of the campaign, what it may need, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from campaign.here import Here

#: as-expected and contradicts: it was judged. recorded: there was nothing to hold it against. not-possible: the machine
#: lacks what `words` says. cut-off: its time was up, or the run was ended. broke: the step itself failed.
State = Literal["as-expected", "contradicts", "recorded", "not-possible", "cut-off", "broke"]
Group = Literal["look", "faults", "numbers", "recordings"]


@dataclass(frozen=True)
class Outcome:
    """What came of a step; `expected` and `named` are first causes where a fault was judged."""

    state: State
    words: str = ""
    expected: str = ""
    named: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


def agrees(well: bool) -> State:
    """The state of a step that was judged."""
    return "as-expected" if well else "contradicts"


class NotPossible(Exception):
    """The machine lacks what the step needs; the message says what."""


class TimeUp(Exception):
    """The step's own deadline has passed; what it wrote until then is kept."""


@dataclass(frozen=True)
class Step:
    """One thing to do. Seconds: the deadline, and what is left of a run at least for it to be begun."""

    name: str
    group: Group
    seconds: float
    least: float
    run: Callable[["Here"], Outcome]


def parts(steps: tuple[Step, ...], most: float) -> tuple[tuple[Step, ...], ...]:
    """The steps in their order, cut so that the deadlines of no part add up to more than `most` seconds."""
    found: list[list[Step]] = []
    left = 0.0
    for step in steps:
        if not found or step.seconds > left:
            found.append([])
            left = most
        found[-1].append(step)
        left -= step.seconds
    return tuple(map(tuple, found))
