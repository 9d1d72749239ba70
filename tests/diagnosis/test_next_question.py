"""What the reporter is asked next: something that can be typed where they are, and that is not known yet."""

import msgspec

from gpudoctor.diagnosis.next_question import Asked, next_question
from gpudoctor.facts.base import Gap
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
