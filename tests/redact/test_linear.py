"""No expression of the door is slow, whatever it is given; GPUDOCTOR_CAMPAIGN=1 aims 100 kB at each piece of each."""

import os
import random
import time

import pytest

from gpudoctor.facts.lazy_re import Expression
from gpudoctor.redact import addresses, credentials, encoded, places, shapes, tokens
from gpudoctor.redact.credentials import excerpt, without_credentials
from gpudoctor.redact.redactor import Door
from tests.redact.hostile import hostile

_ALL = bool(os.environ.get("GPUDOCTOR_CAMPAIGN"))
EXPRESSIONS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": value.pattern
    for module in (addresses, credentials, encoded, places, shapes, tokens)
    for name, value in vars(module).items()
    if isinstance(value, Expression)
} | {f"place {number} {row.kind}": row.pattern for number, row in enumerate(places.place_kinds())}


@pytest.mark.timed
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_text_aimed_at_an_expression_takes_no_long(name: str) -> None:
    chance = random.Random(name)
    texts = list(hostile(EXPRESSIONS[name], 100_000, chance))
    slowest = 0.0
    for text in texts if _ALL else chance.sample(texts, min(1, len(texts))):
        began = time.process_time()
        Door().text(text)
        slowest = max(slowest, time.process_time() - began)
    assert slowest <= 1.0


#: Folders of libraries as Spack, Nix and EasyBuild write them.
LONG = ":".join(f"/opt/spack/p{number}-abcdefghijklmnop234567abcdefghij/lib" for number in range(2500))


@pytest.mark.timed
def test_a_long_variable_costs_no_time() -> None:
    without_credentials("a=b")
    times = []
    for _ in range(5):
        began = time.process_time()
        assert len(excerpt(LONG, 4096)) == 4096
        times.append(time.process_time() - began)
    assert min(times) <= 0.02


@pytest.mark.timed
def test_an_ordinary_text_takes_little() -> None:
    text = "2026-01-01 00:00:00.000 I tensorflow/core: key=value https://host/path?x=1 0x7f3a libcudnn.so.9\n" * 1000
    began = time.process_time()
    Door().text(text)
    assert time.process_time() - began <= 0.6
