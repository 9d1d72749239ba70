"""The words that an expression demands are in each text that it matches; without them it is not compiled."""

import random
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from expressions import NEEDLES, needles
from needles import ways_of

from gpudoctor.facts import lazy_re
from gpudoctor.facts.needles import load, may_match
from gpudoctor.facts.needles import ways_of as noted_ways_of
from tests.hostile.expressions import expressions, matching


def test_those_that_are_loaded_were_made_of_the_expressions():
    assert NEEDLES.read_bytes() == needles(), "run scripts/compile_knowledge"


@pytest.mark.parametrize(
    ("pattern", "ways"),
    [
        (r"no kernel image", ((("no kernel image",),),)),
        (r"\bcuda\b.{0,30}\berror", ((("cuda",), ("error",)),)),
        (r"\b(?:nvcc|cuda[- ]?toolkit)\b", ((("nvcc",),), (("cuda toolkit", "cuda-toolkit", "cudatoolkit"),))),
        (r"\A(?=[\s\S]*two gpus)(?=[\s\S]*hangs)", ((("hangs",), ("two gpus",)),)),
        (r"(?!cuda)\w+ of it", (((" of it",),),)),
        (r"cuda|\d+", ()),
    ],
)
def test_the_ways_to_match(pattern, ways):
    assert ways_of(pattern) == ways


def test_they_are_in_what_is_matched():
    load()
    draw = random.Random(7)
    texts = [(one, matching(one, draw)) for one in expressions() for _ in range(3)]
    matched = [(one, text) for one, text in texts if re.search(one.text, text, one.flags)]
    assert len(matched) > 3000
    assert [
        (one.module, one.text, text)
        for one, text in matched
        if not may_match(noted_ways_of(one.text) or ways_of(one.text), text.lower())
    ] == []


def test_an_expression_without_its_words_is_not_compiled():
    found = lazy_re.demanding(((("cuda", "gpu"), ("error",)),), "(")
    text = "an error"
    assert (found.search(text), found.match(text)) == (None, None)
    assert (found.findall(text), list(found.finditer(text))) == ([], [])
    assert (found.sub("-", text), found.subn("-", text), found.split(text)) == (text, (text, 0), [text])
    with pytest.raises(re.error):
        found.search("A GPU error")


def test_of_many_texts_it_is_compiled_all_the_same():
    found = lazy_re.demanding(((("cuda",),),), "cuda")
    assert [found.search("none") for _ in range(100)] == [None] * 100
    assert "search" in vars(found)
