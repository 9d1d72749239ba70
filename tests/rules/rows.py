"""Demands rows of every rule: a run of all of tests/rules fails where none fires, or none is quiet.

`tests.rules.table` notes each row; the processes of pytest-xdist send theirs to the one that started them.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

FILES = frozenset(Path(__file__).parent.glob("test_*.py"))
DEMANDED = ("fires", "quiet")
#: (rule's name, what it did) of every row so far.
SEEN: set[tuple[str, str]] = set()
#: Rows that no table of this folder can have, with the reason.
EXCEPTIONS: dict[tuple[str, str], str] = {}


def note(name: str, outcome: str) -> None:
    """Keep that a row made this rule fire, stay quiet, or be skipped."""
    SEEN.add((name, outcome))


def missing(names: Iterable[str], seen: set[tuple[str, str]]) -> list[str]:
    """What lacks, one sentence a row."""
    return [
        f"{name}: no table has a row in which it {'fires' if outcome == 'fires' else 'is quiet'}"
        for name in sorted(names)
        for outcome in DEMANDED
        if (name, outcome) not in seen and (name, outcome) not in EXCEPTIONS
    ]


class DemandRows:
    """The plugin. It says nothing of a run of single files or tests, and of one that failed anyway."""

    def __init__(self) -> None:
        self.is_whole = False
        self.lacks: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.is_whole = not session.config.option.keyword and {item.path for item in session.items} >= FILES

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        rows = getattr(node, "workeroutput", {}).get("rule_rows")
        if rows is not None:
            self.is_whole = True
            SEEN.update(map(tuple, rows))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.is_whole:
            return
        if (output := getattr(session.config, "workeroutput", None)) is not None:
            output["rule_rows"] = sorted(SEEN)
        elif not session.testsfailed:
            from gpudoctor.rules.load import load_rules

            self.lacks = missing((rule.name for rule in load_rules()), SEEN)
            if self.lacks:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.lacks:
            terminalreporter.section("rules without a test", red=True)
            terminalreporter.write_line("\n".join(self.lacks))
