"""The engine: three outcomes, never two; root causes first; one rule's bug stays its own."""

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import Problem
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.wish import Wish
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.rules.declare import rule


def declared(code, check, severity="error", name=None):
    check.__doc__ = "Summary."
    return rule(code, name=name or code.lower(), severity=severity, since="0.1")(check).rule


def says(*problems):
    def check(driver: Driver):
        return problems

    return check


def run(*rules, **sections):
    return diagnose(Snapshot(**sections), Matrix.__new__(Matrix), rules)


def test_absent_is_not_applicable_unseen_is_skipped_present_is_judged():
    one = declared("DRV001", says(Problem(summary="wrong.")))
    assert run(one, driver=None).not_applicable == ("DRV001",)
    assert run(one, driver=Gap(reason="locked")).skipped[0].gap.reason == "locked"
    assert run(one, driver=Driver()).findings[0].code == "DRV001"
    assert run(declared("DRV002", says()), driver=Driver()).clean == ("DRV002",)


def test_absent_beats_unseen():
    def check(driver: Driver, gpus: Gpus):
        raise AssertionError

    assert run(declared("DRV001", check), driver=Gap(reason="x"), gpus=None).not_applicable == ("DRV001",)


def test_a_rule_may_admit_absence_and_gaps():
    def check(driver: Driver | None, gpus: Gpus | Gap, wish: Wish, matrix: Matrix):
        assert driver is None
        assert isinstance(gpus, Gap)
        return [Problem(summary="seen.")]

    assert run(declared("DRV001", check), driver=None, gpus=Gap(reason="x")).findings


def test_a_rule_that_raises_is_ours_and_the_others_still_judge():
    def broken(driver: Driver):
        raise ZeroDivisionError

    diagnosis = run(declared("DRV001", broken), declared("DRV002", says(Problem(summary="b."))), driver=Driver())
    assert "ZeroDivisionError" in diagnosis.crashed[0].traceback
    assert [finding.code for finding in diagnosis.findings] == ["DRV002"]


def test_what_follows_is_folded_under_the_far_end_of_its_chain():
    root = declared("GPU001", says(Problem(summary="root.")), name="row-remap-failure")
    middle = declared("DRV001", says(Problem(summary="middle.")), name="ecc-uncorrectable")
    leaf = declared("FRM001", says(Problem(summary="leaf.")), name="cuda-init-failed")
    found = run(leaf, middle, root, driver=Driver()).findings
    assert [(f.code, f.because_of) for f in found] == [
        ("GPU001", ()),
        ("DRV001", ("GPU001",)),
        ("FRM001", ("GPU001",)),
    ]


def test_a_note_never_explains_an_error_away():
    note = declared("GPU001", says(Problem(summary="note.")), severity="info", name="row-remap-failure")
    error = declared("DRV001", says(Problem(summary="error.")), name="ecc-uncorrectable")
    found = run(note, error, driver=Driver()).findings
    assert [(f.code, f.because_of) for f in found] == [("DRV001", ()), ("GPU001", ())]


def test_a_problem_says_what_does_not_follow_here():
    root = says(Problem(summary="a.", not_leading_to=("ecc-uncorrectable",)))
    one = declared("GPU001", root, name="row-remap-failure")
    two = declared("GPU002", says(Problem(summary="b.")), name="ecc-uncorrectable")
    assert all(not finding.because_of for finding in run(one, two, driver=Driver()).findings)


def test_gravest_then_surest_then_lowest_layer_first():
    rules = [
        declared("FRM001", says(Problem(summary="a."))),
        declared("GPU001", says(Problem(summary="b."))),
        declared("DRV001", says(Problem(summary="c.", confidence="possible"))),
        declared("DRV002", says(Problem(summary="d.", severity="warning"))),
    ]
    found = run(*rules, driver=Driver()).findings
    assert [finding.code for finding in found] == ["GPU001", "FRM001", "DRV001", "DRV002"]
