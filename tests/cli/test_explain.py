"""A manual page fits the terminal, and loses no word on the way."""

import pytest

from gpudoctor.cli.explain import reflowed
from gpudoctor.rules._load import load_rules


@pytest.mark.parametrize("columns", [40, 80, 100])
def test_every_page_fits_and_is_whole(columns: int) -> None:
    for rule in load_rules():
        page = reflowed(rule.manual, columns)
        assert page.split() == rule.manual.split(), rule.code
        told, _, _ = page.partition("Sources:\n")
        too_long = [line for line in told.splitlines() if len(line) > columns and " " in line]
        assert not too_long, (rule.code, too_long)
