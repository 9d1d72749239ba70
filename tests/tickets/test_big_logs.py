"""A big log costs little more than what is new in it, and its lines keep their numbers."""

import time
from collections.abc import Callable

import pytest

from gpudoctor.diagnosis.triage import ticket_of
from gpudoctor.examine.judging import Criteria, judge
from gpudoctor.examine.tickets import HEAD, TAIL, Input, subject_of
from gpudoctor.facts.bounded import ALIKE, without_repeats
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules

FAILS = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
STATES = (
    "PyTorch version: 1.7.0+cu101",
    "CUDA used to build PyTorch: 10.1",
    "GPU models and configuration: GPU 0: A100",
)
COUNT = 30_000


def _training(number: int) -> str:
    return f"2024-05-{number % 28 + 1:02d} INFO epoch {number // 1000} step {number} loss={number % 977 / 300:.4f}"


def _progress(number: int) -> str:
    return f"Epoch {number}: {number % 100}%|{'#' * (number % 30)}| {number}/30000 [00:{number % 60:02d}<01:10]"


#: Lines of one kind that fill a log.
FILLED: dict[str, Callable[[int], str]] = {
    "training": _training,
    "progress": _progress,
    "same": lambda _: "step done",
    "empty": lambda _: "",
    "blank": lambda _: "   ",
    "quoted": lambda _: ">",
}


@pytest.mark.parametrize("kind", FILLED)
def test_a_big_log_is_read_as_what_is_new_in_it(kind: str) -> None:
    lines = [*STATES, *(FILLED[kind](number) for number in range(COUNT)), FAILS]
    started = time.process_time()
    contents, key = _judged(lines)
    assert time.process_time() - started < 3  # A fifth of it on a machine that does nothing else.
    assert key == _judged([*STATES, FAILS])[1]
    assert contents.quoted == ((len(lines), FAILS),)
    assert contents.lines == sum(bool(line.strip(" >")) for line in lines)


def test_lines_that_count_on_are_kept_a_few_times() -> None:
    lines = ["a 1", *(f"b {number}" for number in range(COUNT)), "", "a 2"]
    kept = without_repeats(lines)
    assert len(kept) == len(lines)
    assert [line for line in kept if line] == ["a 1", *(f"b {number}" for number in range(ALIKE)), "a 2"]


def _judged(lines: list[str]) -> tuple:
    raw = "\n".join(lines).encode()
    assert len(raw) < HEAD + TAIL
    subject, rules = subject_of(Input("log", raw), load_matrix()), load_rules()
    ticket = ticket_of("log", "text", judge(subject.snapshot, Criteria(rules=rules)), rules, subject.contents)
    return subject.contents, ticket.causes[0].key
