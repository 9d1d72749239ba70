"""Which rules run: codes, families of codes, and names."""

import pytest

from gpudoctor.diagnosis.select import UnknownCode, find, selected
from gpudoctor.rules.load import load_rules

RULES = load_rules()
DRIVER = {one.code for one in RULES if one.code.startswith("DRV")}


def codes(**words):
    return {one.code for one in selected(RULES, **words)}


def test_all_of_them_or_some():
    every = {one.code for one in RULES}
    assert codes() == every
    assert codes(select=["drv"]) == DRIVER
    assert codes(ignore=["DRV"]) == every - DRIVER
    assert codes(select=["DRV", "torch-cpu-only"]) == DRIVER | {"FRM001"}
    assert codes(select=["DRV"], ignore=["DRV001"]) == DRIVER - {"DRV001"}
    assert codes(select=["FRM001"], ignore=["TORCH-CPU-ONLY"]) == set()


@pytest.mark.parametrize("word", ["", "ZZZ", "torch-cpu", "FRM0019"])
def test_a_word_that_no_rule_answers_to(word):
    for words in ({"select": [word]}, {"ignore": ["DRV", word]}):
        with pytest.raises(UnknownCode) as raised:
            selected(RULES, **words)
        assert raised.value.word == word
        assert {"FRM001", "torch-cpu-only"} <= set(raised.value.known)


@pytest.mark.parametrize("word", ["FRM001", "frm001", "torch-cpu-only", "Torch-CPU-Only"])
def test_the_one_rule(word):
    assert find(RULES, word).code == "FRM001"


@pytest.mark.parametrize("word", ["FRM", "torch", ""])
def test_no_rule_of_that_name(word):
    with pytest.raises(UnknownCode) as raised:
        find(RULES, word)
    assert "FRM001" in raised.value.known
