"""Which of the ranked causes are shown, in which order, and how sure each is said to be."""

import pytest
from msgspec.structs import replace

from gpudoctor.diagnosis.ranking import (
    LIKELY,
    SETTLED,
    Candidate,
    in_rank_order,
    is_effect,
    is_worth_naming,
    rank,
    shown_causes,
)
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.snapshot import Snapshot


def cause(key, weight, state="open", code=None):
    return Candidate(key=key, code=code, words="x", weight=weight, state=state)


def keys(*causes):
    return [one.key for one in shown_causes(causes)]


EFFECT = "cuda-init-failed"


@pytest.mark.parametrize(
    ("weight", "state", "word"),
    [
        (SETTLED, "found", "certain"),
        (SETTLED, "open", "likely"),
        (SETTLED - 0.01, "found", "likely"),
        (LIKELY, "open", "likely"),
        (LIKELY - 0.01, "found", "possible"),
    ],
)
def test_how_sure_it_is_said_to_be(weight, state, word):
    assert cause("a", weight, state).confidence == word


@pytest.mark.parametrize(
    ("causes", "shown"),
    [
        ([cause("a", 0.15), cause("b", 0.14)], ["a"]),
        # No more than five.
        ([cause(name, 0.5) for name in "abcdef"], list("abcde")),
        # An effect says nothing new beside a cause; alone it is all there is.
        ([cause(EFFECT, 0.8), cause("a", 0.2)], ["a"]),
        ([cause(EFFECT, 0.8), cause("driver-not-answering", 0.5)], [EFFECT]),
        # What only may be is no news beside what is shown for certain.
        ([cause("a", SETTLED, "found"), cause("b", 0.5), cause("c", 0.5, "found")], ["a", "c"]),
        ([cause("a", SETTLED, "found"), cause("b", LIKELY)], ["a", "b"]),
        ([cause("a", SETTLED), cause("b", 0.5)], ["a", "b"]),
        ([cause("a", 0.8, "found"), cause("b", 0.5)], ["a", "b"]),
        # Notes, where nothing else is: an effect leads them, or is left out.
        ([cause("a", 0.12, "found"), cause("b", 0.12)], ["a"]),
        ([cause(EFFECT, 0.12, "found"), cause("a", 0.11, "found")], [EFFECT, "a"]),
        ([cause("a", 0.12, "found"), cause(EFFECT, 0.11, "found"), cause("b", 0.1, "found")], ["a", "b"]),
        ([cause(name, 0.1, "found") for name in "abcdef"], list("abcde")),
        ([], []),
    ],
)
def test_what_is_shown(causes, shown):
    assert keys(*causes) == shown


@pytest.mark.parametrize(("weight", "worth"), [(0.5, True), (0.49, False), (1.0, True)])
def test_what_is_named_beside_the_first(weight, worth):
    assert is_worth_naming(cause("b", weight * 0.96), cause("a", 0.8)) is worth


@pytest.mark.parametrize(
    ("name", "code", "effect"),
    [
        (EFFECT, "DRV020", True),
        ("smoke-failed", "SMK001", True),
        ("torch-cpu-only", "FRM001", False),
        ("x", None, False),
    ],
)
def test_what_names_what_happens_and_not_why(name, code, effect):
    assert is_effect(name, code) is effect
    assert cause(name, 0.5, code=code).is_effect is effect


def finding(name, code="FRM001", severity="error", **facts):
    return Finding(code=code, name=name, severity=severity, summary=f"{name}.", **facts)


def weights(*findings, **facts):
    return {one.key: one.weight for one in rank(Snapshot(), findings, (), **facts)}


@pytest.mark.parametrize(
    ("facts", "weight"),
    [
        ({}, 0.97),
        ({"confidence": "likely"}, 0.85),
        ({"confidence": "possible"}, 0.62),
        ({"severity": "warning"}, 0.6),
        ({"severity": "warning", "confidence": "likely"}, 0.5),
        ({"severity": "warning", "confidence": "possible"}, 0.35),
        ({"severity": "info"}, 0.12),
        ({"severity": "info", "confidence": "possible"}, 0.1),
        # What follows from another one proves half as much.
        ({"because_of": ("DRV001",)}, 0.485),
    ],
)
def test_what_a_finding_proves(facts, weight):
    assert weights(finding("x", **facts)) == {"x": weight}


@pytest.mark.parametrize(("confidence", "weight"), [("certain", 0.61), ("likely", 0.35), ("possible", 0.35)])
def test_what_happens_proves_less_of_why(confidence, weight):
    assert weights(finding(EFFECT, "DRV020", confidence=confidence)) == {EFFECT: weight}


def test_what_is_found_under_an_assumption_proves_less():
    assert weights(assumed=(finding("x"),)) == {"x": 0.679}
    assert weights(finding("x"), assumed=(finding("x", severity="warning"),)) == {"x": 0.97}
    (one,) = rank(Snapshot(), (), (), assumed=(finding("x"),))
    assert one.state == "open"
    assert weights(replace(finding("x"), told=True)) == {}


def test_of_equally_sure_ones_the_bottom_of_the_stack_comes_first():
    codes = ("FRM001", "GPU001", "LIB001", "DRV002", "DRV001", "HST001")
    rules = [Ruled(name=code.lower(), code=code) for code in codes]
    made = rank(Snapshot(), [finding(code.lower(), code) for code in codes], rules)
    assert [one.code for one in made] == ["GPU001", "HST001", "DRV001", "DRV002", "LIB001", "FRM001"]


class Ruled:
    """As much of a rule as the order asks for."""

    summary, severity, wants, needs = "", "error", (), ()

    def __init__(self, name, code):
        self.name, self.code = name, code


def test_findings_are_in_the_order_of_their_causes():
    first, second, effect, note = (
        finding("b", "FRM002"),
        finding("a", "DRV001"),
        finding("c", "DRV000", because_of=("FRM002",)),
        finding("d", "GPU001", "warning"),
    )
    grave = finding("e", "ZZZ001")
    causes = (cause("b", 0.9), cause("a", 0.8), cause("c", 0.7))
    assert in_rank_order([effect, note, second, grave, first], causes) == (first, second, grave, note, effect)
    one, other = (finding("b", "FRM002", subject=name) for name in ("gpu 0", "gpu 1"))
    assert in_rank_order([other, one], causes) == (one, other)
