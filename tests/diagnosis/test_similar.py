"""Which resolved threads are shown beside an answer."""

from gpudoctor.diagnosis.ranking import Candidate
from gpudoctor.diagnosis.similar import MOST, similar
from gpudoctor.facts.base import Gap
from gpudoctor.facts.live import Live
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.rules.load import load_rules

BUSY = "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable"


def like(text: str, around: tuple[str, ...] = (), causes: tuple[Candidate, ...] = ()):
    stated = {name: Gap(reason="the text does not state it") for name in SECTIONS} | {
        "live": Live(symptoms=recognise(text))
    }
    return similar(Snapshot(**stated), causes, load_rules(), around, None, (text,))


def test_one_for_each_cause_with_what_mended_it():
    found = like(BUSY)
    assert 1 < len(found) <= MOST
    assert len({one.cause for one in found}) == len(found)
    assert all(one.words and one.cure and one.read and one.address.startswith("https://") for one in found)


def test_what_the_facts_rule_out_is_not_shown():
    assert any(
        one.cause == "driver-too-old"
        for one in like("The NVIDIA driver on your system is too old (found version 11040).")
    )
    assert not any(
        one.cause == "driver-too-old"
        for one in like("The NVIDIA driver on your system is too old (found version 11040).", around=("macos",))
    )


def test_none_beside_a_likely_cause():
    sure = Candidate(key="compute-mode-exclusive", words="x", weight=0.8)
    assert not like(BUSY, causes=(sure,))


def test_none_for_what_nobody_reported():
    assert like("my flowers wither in the sun") == ()
