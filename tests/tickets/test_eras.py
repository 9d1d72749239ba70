"""The dates of a log bound the releases that it can be of, and the commands that are said."""

from pathlib import Path

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import judged_tickets
from gpudoctor.knowledge.eras import newest_then, with_stated, words_of_era

LINE = "{day} 10:11:12.123456: E tensorflow/stream_executor/cuda/cuda_dnn.cc:{row}] {text}"


def logged(*days, text="could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"):
    return "\n".join(LINE.format(day=day, row=row, text=text) for row, day in enumerate(days, 100))


@pytest.mark.parametrize(
    ("text", "release"),
    [
        (logged("2018-07-15"), "1.9.0"),
        (logged("2017-12-24", "2018-07-15"), "1.9.0"),
        ("[2018-07-15 10:11:12] INFO started tensorflow/models", None),
        ("2018-07-15 10:11:12: my own line", None),
        ("E tensorflow/stream_executor/cuda/cuda_dnn.cc:1] x", None),
    ],
)
def test_the_newest_release_of_that_day(text, release):
    assert newest_then(text).get("tensorflow") == release


def test_what_is_stated_counts_and_not_the_date():
    words = words_of_era(logged("2018-07-15"))
    assert words == {"tensorflow-before-2"} and not words_of_era(logged("2021-07-15"))
    assert not with_stated(words, {"tensorflow": "2.9.0"})
    assert with_stated(frozenset(("linux",)), {"tensorflow": "1.15.0"}) == {"linux", "tensorflow-before-2"}


@pytest.mark.parametrize(
    ("text", "is_old"),
    [
        (logged("2018-07-15"), True),
        (logged("2021-07-15"), False),
        (f"tensorflow 1.14.0\n{logged('2021-07-15')}", True),
    ],
)
def test_no_command_is_newer_than_the_log(text, is_old, tmp_path: Path):
    file = tmp_path / "ticket.md"
    file.write_text(text)
    (ticket,) = judged_tickets([str(file)], criteria_of((), (), (), None), 1)
    said = f"{ticket.remedies} {ticket.question}"
    assert ("allow_growth" in said) is is_old
    assert ("set_memory_growth" in said or "TF_FORCE_GPU" in said) is not is_old
