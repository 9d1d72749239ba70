"""A manual page fits the terminal, and loses no word on the way."""

import json

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.report.rules import reflowed
from gpudoctor.rules.load import load_rules


@pytest.mark.parametrize("columns", [40, 80, 100])
def test_every_page_fits_and_is_whole(columns: int) -> None:
    for rule in load_rules():
        page = reflowed(rule.manual, columns)
        assert page.split() == rule.manual.split(), rule.code
        told, _, _ = page.partition("Sources:\n")
        too_long = [line for line in told.splitlines() if len(line) > columns and " " in line]
        assert not too_long, (rule.code, too_long)


def test_a_page_as_json() -> None:
    done = CliRunner().invoke(cli, ["explain", "FRM001", "--format", "json"])
    page = json.loads(done.output)
    assert (page["code"], page["name"]) == ("FRM001", "torch-cpu-only")
    assert "How to fix it:" in page["manual"]


@pytest.mark.parametrize("option", [("--from", "nope"), ("--here",)])
def test_a_page_has_no_causes_to_weigh(option: tuple[str, ...]) -> None:
    done = CliRunner().invoke(cli, ["explain", "FRM001", *option])
    assert done.exit_code == 2
    assert "weigh the causes of a message" in done.output
