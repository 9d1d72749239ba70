"""Rules about failed runs, recorded as data: failures.toml."""

from functools import cache
from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Severity
from gpudoctor.tables import records_of


class FixRecord(Fact, frozen=True, kw_only=True):
    """A fix: what a person does, and variables that are set."""

    title: str
    safety: Literal["safe", "manual"] = "manual"
    #: Sentences or commands; {name} is the framework's.
    steps: tuple[str, ...] = ()
    variables: dict[str, str] = {}


class FailureRecord(Fact, frozen=True, kw_only=True):
    """A rule that reports failures, with its words; failures.toml says what may stand in them."""

    code: str
    name: str
    severity: Severity
    since: str
    says: str
    #: In place of it, where the failure is known from somebody's text only.
    pasted: str | None = None
    #: In place of it, where a known message says what it means.
    known: str | None = None
    #: Its first line is the summary.
    manual: str
    fixes: tuple[FixRecord, ...] = ()
    #: In place of them, where they depend on the machine: rules/_failure_fixes.py has a function of this rule's name.
    computed: bool = False


@cache
def failure_records() -> tuple[FailureRecord, ...]:
    """All of them, by code."""
    return records_of("knowledge/failures", tuple[FailureRecord, ...])
