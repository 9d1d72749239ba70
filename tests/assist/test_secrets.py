"""No tool says a credential that was planted in what it is given, wherever a text is cut."""

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gpudoctor.assist.catalogue import READING
from gpudoctor.assist.folders import Folders
from gpudoctor.assist.judged import every_rule, judged_machine
from gpudoctor.assist.quoting import Quoting
from gpudoctor.assist.tool import CannotAnswer, Session
from gpudoctor.assist.tools.answering import ANSWER, Ticket
from gpudoctor.assist.tools.batching import BATCH, Asked, Batch
from gpudoctor.assist.tools.checking import CHECK, SNAPSHOT, _quoted, checked
from gpudoctor.assist.tools.explaining import DIFF, EXPLAIN, TwoFiles, What
from gpudoctor.assist.tools.looking_up import LOOK_UP, Subject
from gpudoctor.assist.tools.matrix import FIT, Wanted
from gpudoctor.assist.tools.verifying import VERIFY, VERIFY_DESCRIBED, Commands
from gpudoctor.facts.codec import encode
from gpudoctor.redact.redactor import Door
from tests.redact.filled import planted
from tests.redact.test_commands import SECRETS, TEXTS, snapshot
from tests.whole import gpu, machine

EVERY = list(planted(random.Random(12)).values())
#: Given below, or their answer is made of what a command of ours printed, which tests/redact/test_commands.py reads.
SHOWN = {ANSWER, EXPLAIN, FIT, LOOK_UP, DIFF, BATCH, VERIFY, CHECK, SNAPSHOT}
BY_COMMANDS = {"plan", "smoke"}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "F").write_bytes(encode(snapshot()))
    (tmp_path / "E").write_bytes(encode(machine((gpu("NVIDIA GeForce RTX 3090", "8.6"),))))
    return Session(Folders((str(tmp_path),), ()))


def leaked(result: Any) -> list[str]:
    shown = result if isinstance(result, str) else encode(result).decode()
    return [text for text, secret in SECRETS if secret in shown]


def test_every_tool_is_here() -> None:
    assert {one.name for one in READING} == {one.name for one in SHOWN} | BY_COMMANDS


def test_what_was_seen_of_a_machine() -> None:
    assert leaked(checked(judged_machine(snapshot(), every_rule()), Quoting(Door()), full=True)) == []
    plain = msgspec.json.decode(encode(snapshot()))
    assert leaked(msgspec.json.encode(_quoted(plain, Quoting(Door()))).decode()) == []


def test_what_a_call_holds(session: Session) -> None:
    calls: list[tuple[Any, Any]] = [(ANSWER, Ticket(path="F"))]
    for text in ("\n".join(TEXTS), *TEXTS):
        calls += [
            (ANSWER, Ticket(text=f"RuntimeError: CUDA error: no kernel image is available\n{text}")),
            (EXPLAIN, What(what=f"CUDA error: no kernel image is available {text}", facts_path="F")),
            (FIT, Wanted(gpu=(text[:200],))),
            (FIT, Wanted(packages=(text[:200],))),
            (LOOK_UP, Subject(subject="gpu", which=text[:200])),
            (VERIFY_DESCRIBED, Commands(text=f"pip install torch==2.6.0 '{text}'", for_path="F")),
        ]
    found = []
    for tool, asked in calls:
        try:
            found += leaked(tool.run(asked, session))
        except CannotAnswer as error:  # noqa: PERF203 - each is tried
            found += leaked(str(error))
    found += leaked(DIFF.run(TwoFiles(before_path="E", after_path="F"), session))
    questions = tuple(Asked(tool=tool.name, arguments=msgspec.to_builtins(asked)) for tool, asked in calls[:10])
    assert found + leaked(BATCH.run(Batch(questions=questions), session)) == []


@pytest.mark.parametrize("most", [80, 240])
def test_a_cut_leaves_no_part_of_one(most: int) -> None:
    quoting = Quoting(Door())
    shown = []
    for text, secret in EVERY[::12]:
        for part in range(4, len(text), 9):
            # The blanks are cut down to one, so that the end of what is read is shown.
            before = " " * (8 * most - part)
            if (seen := quoting.text(before + text, most)) and secret[:10] in seen and len(secret) >= 16:
                shown.append(text)
    assert sorted(set(shown)) == []
