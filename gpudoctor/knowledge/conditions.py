"""Conditions that rule causes out, as simple comparisons of facts: conditions.toml."""

from functools import cache

from gpudoctor.facts.base import Fact
from gpudoctor.tables import records_of


class ConditionRecord(Fact, frozen=True, kw_only=True):
    """A condition; conditions.toml says what may stand in it."""

    #: As causes name it.
    id: str
    #: All of these must hold.
    holds: tuple[str, ...]
    #: The fact, as the end of a sentence.
    say: str


@cache
def condition_records() -> tuple[ConditionRecord, ...]:
    """All of them."""
    return records_of("knowledge/conditions", tuple[ConditionRecord, ...])
