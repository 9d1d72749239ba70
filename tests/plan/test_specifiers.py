"""Version specifiers: what is one, and whether a version meets it."""

import pytest

from gpudoctor.plan.specifiers import is_specifier, meets


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("", True), (">=2.6,<3", True), ("==2.6.*", True), ("2.6", False), ("new", False), ("=2", False)],
)
def test_what_is_a_specifier(text, is_one):
    assert is_specifier(text) is is_one


@pytest.mark.parametrize(
    ("version", "specifier", "does"),
    [
        ("2.6.0+cu124", "", True),
        ("2.6.0+cu124", "==2.6.0", True),
        ("2.6.0+cu124", "==2.6.0+cu124", True),
        ("2.6.0+cu124", "==2.6.0+cpu", False),
        ("2.6.0", ">2.6", False),
        ("2.7.0a0", ">=2.6", True),
    ],
)
def test_what_meets_one(version, specifier, does):
    assert meets(version, specifier) is does
