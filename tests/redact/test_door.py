"""Whole snapshots through the door: nothing planted gets out, and no fact that a verdict rests on is damaged."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import encode, from_plain, to_plain
from gpudoctor.facts.finding import Diagnosis
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.redact.identities import Known
from gpudoctor.redact.redactor import Door
from gpudoctor.rules.load import load_rules
from tests.cases.load import cases
from tests.machines.healthy import HEALTHY
from tests.machines.healthy.look import look
from tests.redact.secrets import PLANTED

CASES = {case.id: case for case in cases()}


def _verdicts(diagnosis: Diagnosis) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.code, one.severity, one.because_of) for one in diagnosis.findings]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


#: What a text may lose on its way: the names after a home folder, and GPU UUIDs.
_IDENTITIES = re.compile(
    r"(?<=home/)[^/\s]+|(?<=scratch/)[^/\s]+|(?<=Users/)[^/\s]+|(?<=Users\\)[^\\\s]+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|"
    r"(?<=://)[^/\s]+|(?<=GPU-)[0-9a-f]+|user-\d+"
)


def _same_facts(before: Snapshot, after: Snapshot) -> None:
    for old, new in zip(_texts(to_plain(before)), _texts(to_plain(after)), strict=True):
        assert _IDENTITIES.sub("", new) == _IDENTITIES.sub("", old)


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_judged_alike(name: str) -> None:
    matrix, rules, snapshot = load_matrix(), load_rules(), CASES[name].snapshot()
    passed = Door().fact(snapshot)
    _same_facts(snapshot, passed)
    assert _verdicts(diagnose(passed, matrix, rules)) == _verdicts(diagnose(snapshot, matrix, rules))


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_machine_is_judged_alike(name: str) -> None:
    report = look(name)
    passed = Door().fact(report.snapshot)
    _same_facts(report.snapshot, passed)
    assert _verdicts(diagnose(passed, load_matrix(), load_rules())) == _verdicts(report.diagnosis)


def test_there_are_two_hundred() -> None:
    assert len(CASES) + len(HEALTHY) >= 200


def _planted(value: Any, text: str) -> Any:
    """The value with `text` added to every free text in it."""
    if isinstance(value, str):
        return f"{value} {text}"
    if isinstance(value, dict):
        return {key: _planted(item, text) for key, item in value.items() if key not in ("section", "kind")}
    return [_planted(item, text) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("kind", PLANTED)
def test_no_planted_secret_leaves_a_snapshot(kind: str) -> None:
    text, secret = PLANTED[kind]
    snapshot = Snapshot(taken_at=f"now {text}", host=Gap(reason=text), gpus=Gap(reason=f"a, {text}; b"))
    assert secret.encode() not in encode(Door().fact(snapshot))


def test_variables_that_are_not_allowed_are_left_out() -> None:
    plain = to_plain(CASES[next(iter(CASES))].snapshot())
    plain["environ"] = {"section": "environ", "variables": {"PATH": "/home/ada/bin", "DB_URL": "x", "MY_TOKEN": "y"}}
    door = Door(Known())
    passed = door.fact(from_plain(plain, Snapshot))
    assert to_plain(passed)["environ"]["variables"] == {"PATH": "/home/user-1/bin"}
    assert door.counts["variables"] == 2
