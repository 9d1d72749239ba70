"""What the reporter is asked next: something that can be typed where they are, and that is not known yet."""

import msgspec
import pytest

from gpudoctor.diagnosis.next_question import LIKELY, SETTLED, Asked, is_answered, next_question
from gpudoctor.diagnosis.ranking import Candidate
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.snapshot import Doctor, Snapshot

GAP = Gap(reason="the text does not state it")
PASTED = Snapshot(gpus=None, driver=None, frameworks=None, libraries=GAP, environ=GAP)


def test_a_text_that_decides_nothing_is_answered_with_a_look_at_everything():
    question = next_question(PASTED, ())
    assert question is not None
    # No package of that name is promised to be on an index.
    assert question.ask == "gpudoctor report --static"


def test_who_sent_a_snapshot_is_not_asked_to_look_again():
    assert next_question(msgspec.structs.replace(PASTED, doctor=Doctor(version="0.1.0")), ()) is None


def test_two_machines_in_one_text_are_told_apart_by_the_reporter():
    question = next_question(PASTED, (), disputed=("driver.release", "driver.cuda"))
    assert question is not None and "which of them fails" in question.ask


def test_who_names_a_program_is_asked_its_own_question():
    question = next_question(PASTED, (), asked=Asked(system="linux", program="kubernetes"))
    assert question is not None and question.ask.startswith("kubectl describe node")


def found(weight, state="found"):
    return (Candidate(key="torch-cpu-only", code="FRM001", words="x", weight=weight, state=state),)


@pytest.mark.parametrize(
    ("causes", "asks"),
    [
        (found(SETTLED), False),
        (found((SETTLED + LIKELY) / 2), False),
        (found(LIKELY / 2), True),
        (found(SETTLED, state="open"), False),
        ((Candidate(key="harmless", words="x", weight=0.1, state="open"),), False),
        ((), True),
    ],
)
def test_what_is_settled_or_likely_is_asked_no_further(causes, asks):
    assert (next_question(PASTED, causes) is not None) is asks


def made_by(vendor):
    return Gpus(devices=(Gpu(vendor=vendor),))


def built(name, variant):
    return Frameworks(found=(Framework(name=name, version="2.6.0", variant=variant),))


COLLECT, SMI = "python -m torch.utils.collect_env", "nvidia-smi"


@pytest.mark.parametrize(
    ("sections", "starts"),
    [
        ({"gpus": GAP}, SMI),
        ({"gpus": made_by("nvidia"), "driver": GAP}, SMI),
        ({"gpus": made_by("amd"), "driver": GAP}, "rocminfo"),
        ({"gpus": made_by("apple"), "driver": GAP}, "gpudoctor report"),
        ({"frameworks": GAP}, "pip list"),
        ({"frameworks": built("torch", None)}, COLLECT),
        ({"frameworks": built("torch", "cuda")}, "gpudoctor report"),
        ({"frameworks": built("jax", None)}, "gpudoctor report"),
    ],
)
def test_what_is_not_stated_is_asked_for(sections, starts):
    question = next_question(msgspec.structs.replace(PASTED, **sections), ())
    assert question is not None and question.ask.startswith(starts), question


#: A list of packages that is searched, what is stated, and whether that answers it.
LISTS = [
    ("pip list | grep -i -E 'flash|^torch '", {"torch": "2.6.0", "flash-attn": "2.7.0"}, True),
    ("pip list | grep -i -E 'flash|^torch '", {"torch": "2.6.0"}, False),
    ('pip list | findstr /i "torch xformers"', {"torch": "2.1.2", "xformers": "0.0.25"}, True),
    ("python -m pip list | grep -i cudnn", {"torch": "2.1.2"}, False),
]


@pytest.mark.parametrize(("ask", "stated", "answered"), LISTS)
def test_what_is_stated_is_not_asked_for(ask, stated, answered):
    found = Frameworks(found=tuple(Framework(name=name, version=version) for name, version in stated.items()))
    snapshot = msgspec.structs.replace(PASTED, frameworks=found)
    assert is_answered(ask, snapshot, Asked()) is answered
