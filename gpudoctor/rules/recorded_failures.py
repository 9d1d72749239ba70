"""The rules of failures.toml: each says of failures what they are, in the words of its record."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.knowledge.failures import FailureRecord, failure_records
from gpudoctor.rules.declare import Rule, Want


def recorded_rules() -> Iterator[Rule]:
    """All of them."""
    for record in failure_records():
        yield Rule(
            code=record.code,
            name=record.name,
            severity=record.severity,
            since=record.since,
            summary=record.manual.partition("\n")[0],
            wants=(Want(parameter="live", field="live"),),
            check=_Recorded(record),
            when="failure",
        )


class _Recorded:
    """The check of a record; its docstring is the manual page, as a function's is."""

    def __init__(self, record: FailureRecord) -> None:
        self._record = record
        self.__doc__ = record.manual
        self.__module__ = "gpudoctor.knowledge.failures"

    def __call__(self, live: Live) -> Iterable[Problem]:
        # Imported here: most looks run nothing.
        from gpudoctor.rules.live_problem import problems, said

        record = self._record
        return problems(live, record.name, lambda failed: said(record, failed))
