"""Each reported failure gets the verdict it deserves, and no healthy base gets any."""

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.requirements import parse_wish
from gpudoctor.diagnosis.triage import ticket_of
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.cases.bases import BASES
from tests.cases.known import MISSES, SEVERITIES
from tests.cases.load import Case, cases, merged, score

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_verdict(case: Case) -> None:
    """The expected finding comes first, beside nothing false, and with the fix that helped."""
    one = score(case)
    assert not one.diagnosis.crashed, one.diagnosis.crashed
    right = case.probe_only or (one.first and one.matching(case.right_fixes) == case.right_fixes)
    said = [(finding.severity, finding.name) for finding in one.diagnosis.root_causes]
    assert (right and not one.false) != (case.id in MISSES), (case.expected, said, MISSES.get(case.id))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_severity(case: Case) -> None:
    one = score(case)
    assert (one.other_severity is not None) == (case.id in SEVERITIES), (case.expected, one.other_severity)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_advice_known_to_be_wrong_is_not_given(case: Case) -> None:
    assert score(case).matching(case.wrong_fixes) == ()


@pytest.mark.parametrize("name", sorted(set(BASES) - {"unloaded"}))
def test_bases_are_healthy(name: str) -> None:
    diagnosis = diagnose(BASES[name], load_matrix(), load_rules())
    assert [finding.name for finding in diagnosis.findings if finding.severity != "info"] == []


def test_known_misses_are_cases() -> None:
    assert set(MISSES) | set(SEVERITIES) <= {case.id for case in CASES}


def test_every_case_states_something() -> None:
    assert [case.id for case in CASES if not case.stated] == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1, "b": {"c": 2}}, {"b": {"d": 3}}, {"a": 1, "b": {"c": 2, "d": 3}}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ([{"a": 1, "b": 2}, {"a": 3}], {"0": {"a": 4}}, [{"a": 4, "b": 2}, {"a": 3}]),
        ({"section": "gap", "reason": "x"}, {"found": []}, {"found": []}),
    ],
)
def test_merging(old: object, new: object, expected: object) -> None:
    assert merged(old, new) == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_check_and_triage_name_the_same_first_cause(case: Case) -> None:
    one = score(case)
    wish = parse_wish(case.asked)
    report = report_of(case.snapshot(), diagnose(case.snapshot(), load_matrix(), load_rules(), wish))
    ticket = ticket_of(case.id, "snapshot", report, load_rules())
    first = next((finding.name for finding in one.diagnosis.root_causes), None)
    assert next((cause.key for cause in ticket.causes), None) == first
