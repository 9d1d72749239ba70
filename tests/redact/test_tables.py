"""Each row of the tables finds its own example, and not what it must not be mistaken for."""

import random
import re

import pytest

from gpudoctor.redact.credentials import without_credentials
from gpudoctor.redact.places import place_kinds
from gpudoctor.redact.tokens import token_kinds
from tests.redact.filled import planted

PLANTED = planted(random.Random(7))


@pytest.mark.parametrize("kind", PLANTED)
def test_a_row_finds_its_example(kind: str) -> None:
    text, secret = PLANTED[kind]
    left = without_credentials(f"before {text} after")
    assert secret not in left
    assert without_credentials(left) == left


@pytest.mark.parametrize("unlike", [row.unlike for row in (*token_kinds(), *place_kinds())])
def test_a_row_leaves_its_counter_example(unlike: str) -> None:
    assert without_credentials(f"before {unlike} after") == f"before {unlike} after"


def test_the_sources_are_named() -> None:
    assert len(PLANTED) >= 250
    assert {row.source for row in token_kinds()} == {"github", "gitleaks"}


@pytest.mark.parametrize("row", place_kinds(), ids=lambda row: row.kind)
def test_no_expression_is_without_a_bound(row) -> None:
    assert not re.search(r"(?<!\\)[*+](?![^\[]*\])", re.sub(r"\\.|\[[^\]]*\]", "", row.pattern))
