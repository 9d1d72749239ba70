"""No expression of the package takes long on a text aimed at it, as it is really used: 100,000 characters, 1 s."""

import os
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from gpudoctor.facts.bounded import bounded, bounded_lines
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.recognition import lines_that_matter
from gpudoctor.redact.credentials import without_credentials
from gpudoctor.tickets.pasted import NotText
from gpudoctor.tickets.read import ingest
from tests.hostile.expressions import Expression, expressions, hostile

SIZE, SECONDS, ORDINARY = 100_000, 1.0, 0.5
#: GPUDOCTOR_HOSTILE=all: every expression; else a few of each package, others each time the seed is moved.
ALL = os.environ.get("GPUDOCTOR_HOSTILE") == "all"
SEED = int(os.environ.get("GPUDOCTOR_HOSTILE_SEED", "20261122"))
EVERY = expressions()
#: Lengths of the lines that the 100,000 characters are made of: under the bounds of the readers, and above.
LENGTHS = (150, 390, 1600, 4000)


def _text(expression: Expression, draw: random.Random, length: int) -> str:
    """Different lines, as alike ones are looked at once."""
    kinds = [line.replace("\n", " ").replace("\r", " ") for line in hostile(expression, length, draw)]
    lines = []
    size = 0
    while size < SIZE:
        line = draw.choice(kinds)
        lines.append(f"{line}{len(lines)}" if draw.random() < 0.5 else line)
        size += len(lines[-1]) + 1
    return "\n".join(lines)[:SIZE]


def _pasted(text: str, expression: Expression) -> None:
    with suppress(NotText):  # a text of control characters is refused, and that is soon
        ingest(text.encode("utf-8", "replace"), load_matrix())


def _logged(text: str, expression: Expression) -> None:
    lines_that_matter(text)


def _cleaned(text: str, expression: Expression) -> None:
    without_credentials(text)


def _in_fields(text: str, expression: Expression) -> None:
    """In what is no pasted text: fields, files of an environment, words of the command line, line by line."""
    pattern = re.compile(expression.text, expression.flags)
    for line in bounded_lines(bounded(text).split("\n")):
        pattern.search(line[:1000])
        pattern.match(line)
        pattern.fullmatch(line)


ROUTES: dict[str, tuple[Callable[[str, Expression], None], ...]] = {
    "tickets": (_pasted,),
    "sources": (_pasted,),
    "knowledge": (_pasted, _logged),
    "redact": (_cleaned,),
}


def _drawn() -> list[Expression]:
    # A fragment stands in the messages that are made of it, and is of no use by itself.
    known = [one for one in EVERY if not one.module.startswith("data.")]
    return known if ALL else random.Random(SEED).sample(known, 16)


@pytest.mark.timed
@pytest.mark.parametrize("expression", _drawn(), ids=lambda one: f"{one.module}-{one.text[:30]!r}")
def test_no_text_aimed_at_an_expression_holds_it(expression: Expression) -> None:
    load_matrix()
    for seed, length in enumerate(LENGTHS):
        text = _text(expression, random.Random(f"{SEED}{seed}{expression.text}"), length)
        for route in ROUTES.get(expression.package, (_in_fields,)):
            began = time.process_time()
            route(text, expression)
            took = time.process_time() - began
            assert took <= SECONDS, f"{took:.2f} s on lines of {length}: {text[:80]!r}"


def test_every_expression_is_met() -> None:
    assert len(EVERY) >= 857
    assert {"tickets", "knowledge", "sources", "rules", "redact", "probes", "plan"} <= {one.package for one in EVERY}


@pytest.mark.timed
def test_an_ordinary_text_takes_a_moment() -> None:
    from tests.tickets.stated import FOLDER

    files = sorted(FOLDER.glob("*.txt"))
    text = b""
    for file in random.Random(SEED).sample(files, len(files)):
        text += file.read_bytes()
        if len(text) > SIZE:
            break
    ingest(text[:SIZE], load_matrix())
    times = []
    for _ in range(7):
        began = time.process_time()
        ingest(text[:SIZE], load_matrix())
        times.append(time.process_time() - began)
    assert min(times) <= ORDINARY


@pytest.mark.timed
@pytest.mark.parametrize("blank", [" ", "\t", "\u3000", "\u2003", "*", "-", "0", "\xa0", "=", "a"])
@pytest.mark.parametrize("word", ["cuda", "gpu:", "# os", "torch ==", "xid", "print(torch.__version__)", "== check"])
def test_a_row_of_one_character_costs_nothing(word: str, blank: str) -> None:
    text = "\n".join(f"{word}{blank * 1300}1x{number}" for number in range(SIZE // 1310))
    began = time.process_time()
    ingest(text.encode(), load_matrix())
    assert time.process_time() - began <= SECONDS
