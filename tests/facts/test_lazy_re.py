"""An expression is compiled when it is first used, and then does what re's does."""

import re

import pytest

from gpudoctor.facts import lazy_re


def test_it_waits_and_then_is_the_same():
    found = lazy_re.compile(r"(?P<word>b+)", lazy_re.IGNORECASE)
    assert "search" not in vars(found)
    assert found.search("aBBc")["word"] == "BB"
    assert found.sub("-", "aBBc") == "a-c"
    assert (found.pattern, found.groups, found.flags & re.IGNORECASE) == ("(?P<word>b+)", 1, re.IGNORECASE)


def test_a_wrong_one_says_so_when_it_is_used():
    wrong = lazy_re.compile("(")
    with pytest.raises(re.error):
        wrong.search("")


def test_bytes():
    assert lazy_re.compile(rb"\d+").findall(b"12 a 3") == [b"12", b"3"]
