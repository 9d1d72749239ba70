"""Whatever a machine, a ticket or a call holds, no result of a tool says it outside of quotation marks."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gpudoctor.assist.folders import Folders
from gpudoctor.assist.judged import every_rule, judged_machine
from gpudoctor.assist.quoting import Quoting
from gpudoctor.assist.tool import CannotAnswer, Session
from gpudoctor.assist.tools.answering import ANSWER, Ticket
from gpudoctor.assist.tools.batching import Asked, Batch, batch
from gpudoctor.assist.tools.checking import checked
from gpudoctor.assist.tools.explaining import EXPLAIN, TwoFiles, What, diff
from gpudoctor.assist.tools.looking_up import LOOK_UP, Subject
from gpudoctor.assist.tools.matrix import FIT, Wanted
from gpudoctor.assist.tools.verifying import VERIFY_DESCRIBED, Commands
from gpudoctor.facts.codec import encode
from gpudoctor.redact.redactor import Door
from tests.assist.hostile import MARK, injected, outside_quotation, texts
from tests.cases.load import cases
from tests.tickets.stated import FOLDER

TICKETS = sorted(FOLDER.glob("*.txt"))
#: Fields that hold commands, which their shell quotes.
COMMANDS = ("commands", "command", "instead", "ask", "test")
LONGEST = 2_000
#: Ten texts each.
NUMBERS = [*range(5), *(pytest.param(number, marks=pytest.mark.full) for number in range(5, 20))]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(Folders((str(tmp_path),), ()))


def said(value: Any, field: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a result, with its field."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield "key", key
            yield from said(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from said(item, field)


def assert_quoted(result: Any) -> None:
    for field, text in said(msgspec.json.decode(encode(result)) if isinstance(result, msgspec.Struct) else result):
        assert field == "manual" or text.isprintable(), (field, text)
        assert field == "manual" or len(text) <= LONGEST
        is_command = field in COMMANDS or (field == "reply" and text.startswith("  "))
        assert is_command or MARK not in outside_quotation(text, "\u00ab\u00bb"), (field, text)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_check_of_a_hostile_machine(number: int) -> None:
    case = random.Random(number).choice(cases())
    judged = judged_machine(injected(case.snapshot(), list(texts(number, 10)), number), every_rule())
    assert_quoted(checked(judged, Quoting(Door()), full=True))


@pytest.mark.parametrize("number", NUMBERS)
def test_calls_with_hostile_texts(number: int, session: Session, tmp_path: Path) -> None:
    chosen = random.Random(number)
    lines = chosen.choice(TICKETS).read_text(encoding="utf-8", errors="replace").splitlines()
    hostile = list(texts(2000 + number, 10))
    for text in hostile:
        lines.insert(chosen.randrange(len(lines) + 1), chosen.choice((text, f"RuntimeError: {text}", f"torch=={text}")))
    ticket = "\n".join(lines)
    (tmp_path / "a.json").write_bytes(encode(injected(chosen.choice(cases()).snapshot(), hostile, number)))
    (tmp_path / "b.json").write_bytes(encode(injected(chosen.choice(cases()).snapshot(), hostile, number + 1)))
    one = chosen.choice(hostile)[:20_000]
    calls = [
        (ANSWER, Ticket(text=ticket)),
        (ANSWER, Ticket(path=one)),
        (EXPLAIN, What(what=ticket)),
        (EXPLAIN, What(what=f"CUDA error: no kernel image is available {one}", facts_path="a.json")),
        (FIT, Wanted(gpu=(one,))),
        (FIT, Wanted(packages=(one,))),
        (FIT, Wanted(python=one, driver=one)),
        (LOOK_UP, Subject(subject="gpu", which=one)),
        (LOOK_UP, Subject(what=one)),
        (LOOK_UP, Subject(what=f"undefined symbol: _ZN3c106detail14torchCheckFailEPKcS2_jRKSs {one}")),
        (LOOK_UP, Subject(what=f"flash_attn-2.7.4+cu12torch2.6cxx11abiFALSE-cp311-cp311-linux_x86_64.whl {one}")),
        (VERIFY_DESCRIBED, Commands(text=f"pip install 'torch=={one}' {one}")),
        (VERIFY_DESCRIBED, Commands(text=one, for_path="a.json")),
    ]
    for tool, asked in calls:
        try:
            assert_quoted(tool.run(asked, session))
        except CannotAnswer as error:  # noqa: PERF203 - each is tried
            assert_quoted(str(error))
    assert_quoted(diff(TwoFiles(before_path="a.json", after_path="b.json"), session))
    questions = tuple(Asked(tool=tool.name, arguments=msgspec.to_builtins(asked)) for tool, asked in calls)
    assert_quoted(batch(Batch(questions=questions), session))
