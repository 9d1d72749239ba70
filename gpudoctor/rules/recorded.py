"""The rules that failures.toml records: each says what failed in a run, and has no module of its own."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts.finding import Problem
from gpudoctor.facts.live import Live
from gpudoctor.facts.scene import Scene
from gpudoctor.knowledge.failures import FailureRecord, failure_records
from gpudoctor.knowledge.matrix.query import Matrix
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
            wants=tuple(Want(parameter=name, field=name) for name in ("live", "scene", "matrix")),
            check=_Recorded(record),
            when="failure",
        )


class _Recorded:
    """The check of a record; its docstring is the manual page, as a function's is."""

    def __init__(self, record: FailureRecord) -> None:
        self._record = record
        self.__doc__ = record.manual
        self.__module__ = "gpudoctor.knowledge.failures"

    def __call__(self, live: Live, scene: Scene, matrix: Matrix) -> Iterable[Problem]:
        # Imported here: most looks run nothing.
        from gpudoctor.rules.live_problem import Failed, Said, problems, said

        def says(failed: Failed) -> Said:
            sentence, fixes = said(self._record, failed)
            if self._record.computed:
                from gpudoctor.rules._failure_fixes import FIXES

                fixes = FIXES[self._record.name](failed, scene, matrix)
            return sentence, fixes

        return problems(live, self._record.name, says)
