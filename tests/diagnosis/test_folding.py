"""A finding that names its causes is folded under those that fired with its gravity and about the same framework."""

from gpudoctor.diagnosis.diagnose import folded
from gpudoctor.facts.finding import Finding


def finding(code, name, severity="error", subject=None, **more):
    return Finding(code=code, name=name, severity=severity, subject=subject, summary="x.", **more)


SEES_NONE = finding("SMK001", "sees-no-gpu", subject="tensorflow 2.20.0", follows_from=("soname-missing", "too-old"))


def causes(*findings):
    return {one.code: one.because_of for one in folded(findings)}


def test_it_is_folded_under_the_cause_that_fired():
    assert causes(SEES_NONE, finding("LIB002", "soname-missing", subject="tensorflow 2.20.0"))["SMK001"] == ("LIB002",)


def test_it_stands_alone_where_none_fired():
    assert causes(SEES_NONE, finding("LIB001", "other"))["SMK001"] == ()


def test_a_lesser_finding_is_no_cause():
    assert causes(SEES_NONE, finding("LIB002", "soname-missing", severity="warning"))["SMK001"] == ()
    assert causes(
        finding("SMK001", "sees-fewer", severity="warning", follows_from=("too-old",)), finding("FRM016", "too-old")
    )["SMK001"] == ("FRM016",)


def test_a_rule_says_itself_what_its_warning_explains():
    explained = finding("DRV001", "no-cuda")
    for severity, root in (("error", ("BOX012",)), ("warning", ("BOX012",)), ("info", ())):
        wsl1 = finding("BOX012", "wsl1", severity=severity, explains=("no-cuda",))
        assert causes(explained, wsl1)["DRV001"] == root, severity
    note = finding("DRV001", "no-cuda", severity="info")
    assert causes(note, finding("BOX012", "wsl1", severity="info", explains=("no-cuda",)))["DRV001"] == ("BOX012",)


def test_the_fault_of_one_framework_is_not_why_another_fails():
    for subject, root in [("torch 2.6.0", ()), ("PyTorch 2.6", ()), ("tensorflow 2.20.0", ("LIB002",)),
                          ("GPU 0", ("LIB002",)), (None, ("LIB002",))]:  # fmt: skip
        assert causes(SEES_NONE, finding("LIB002", "soname-missing", subject=subject))["SMK001"] == root, subject


def test_only_the_framework_concerned_is_folded():
    other = finding("SMK001", "sees-no-gpu", subject="torch 2.6.0", follows_from=("soname-missing",))
    ordered = folded([SEES_NONE, other, finding("LIB002", "soname-missing", subject="tensorflow 2.20.0")])
    assert {one.subject: one.because_of for one in ordered if one.code == "SMK001"} == {
        "tensorflow 2.20.0": ("LIB002",),
        "torch 2.6.0": (),
    }


def test_the_root_is_at_the_far_end():
    found = causes(
        SEES_NONE,
        finding("FRM016", "too-old", follows_from=("absent",)),
        finding("DRV001", "absent", explains=("nothing",)),
    )
    assert found == {"DRV001": (), "FRM016": ("DRV001",), "SMK001": ("DRV001",)}


def test_a_circle_has_no_root():
    found = causes(finding("A1", "a", follows_from=("b",)), finding("B1", "b", follows_from=("a",)))
    assert found == {"A1": (), "B1": ()}
