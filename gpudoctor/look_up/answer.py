"""The data of an answer to `look-up`."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.matrix.types import Grade

Kind = Literal["wheel", "symbol", "library", "fault", "recipe", "release", "needs"]


class Row(Fact, frozen=True, kw_only=True):
    """One fact: what it is of, and what it is."""

    name: str
    value: str


class Found(Fact, frozen=True, kw_only=True):
    """One answer. Sentences, facts and commands may each be empty."""

    kind: Kind
    subject: str
    says: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    commands: tuple[str, ...] = ()
    source: str = ""
    checked: str = ""
    confidence: Grade | None = None


class LookedUp(Fact, frozen=True, kw_only=True):
    """All answers to one question; none is "not in the tables", which is not "there is no such thing"."""

    question: str
    found: tuple[Found, ...] = ()
    #: What may have been meant.
    near: tuple[str, ...] = ()
