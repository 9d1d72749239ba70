"""What fitted on a day."""

import json

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from gpudoctor.cli.main import cli
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.as_of import as_of, released
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.demand import parse_demand
from gpudoctor.plan.fit_as_of import fit_as_of
from gpudoctor.plan.machine import Machine

MATRIX = load_matrix()
AMPERE = Machine(
    driver=DriverRelease("525.60.13"), capabilities=(Capability("8.6"),), python="3.10", platform="linux-x86_64"
)


def build_on(day: str, *wish: str) -> list[str]:
    found = fit_as_of(AMPERE, parse_demand(wish), day, MATRIX)
    return [one.build for place in found.environments for one in place.proposals]


@pytest.mark.parametrize("wish", ["torch", "tensorflow", "jax"])
@pytest.mark.parametrize("day", ["2020-02-01", "2022-03-11", "2023-05-08", "2024-12-24", "2026-01-01"])
def test_what_came_later_is_not_there(day, wish):
    for found in build_on(day, wish):
        assert released(wish, found.split()[1], MATRIX) <= day


def test_the_day_itself_counts():
    assert build_on("2023-05-07", "torch") == ["torch 2.0.0+cu117"]
    assert build_on("2023-05-08", "torch") == ["torch 2.0.1+cu117"]


def test_companions_and_extensions_of_that_day():
    found = fit_as_of(AMPERE, parse_demand(("torch", "torchvision", "xformers")), "2023-05-01", MATRIX)
    words = " ".join(found.environments[0].command) if found.environments else ""
    assert found.refusals or ("torchvision==0.15.1" in words and "torch==2.0.0" in words)


def test_nothing_was_out_yet():
    found = fit_as_of(AMPERE, parse_demand(("torch",)), "2015-01-01", MATRIX)
    assert found.refusals
    assert "2015-01-01" in found.refusals[0].text
    assert not found.environments


def test_a_release_without_a_date_is_left_out_and_named():
    then = as_of(MATRIX, "2024-01-01")
    assert not then.was_out("torch", "0.0.7")
    assert "torch 0.0.7" in then.unknown
    assert not any("rc" in name.split()[1] for name in then.unknown)


def test_a_driver_of_later_is_said():
    later = Machine(driver=DriverRelease("580.65.06"), capabilities=(Capability("8.6"),), platform="linux-x86_64")
    (note,) = fit_as_of(later, parse_demand(("torch",)), "2023-05-01", MATRIX).then
    assert "580" in note
    assert "2025-08-04" in note


def test_after_the_last_day_of_the_tables():
    (note,) = fit_as_of(AMPERE, parse_demand(("torch",)), "2099-01-01", MATRIX).then
    assert MATRIX.edition in note
    assert fit_as_of(AMPERE, parse_demand(("torch",)), MATRIX.edition, MATRIX).then == ()


def test_what_has_no_date_is_said_of_what_is_asked_for():
    found = fit_as_of(AMPERE, parse_demand(("paddle",)), "2024-05-01", MATRIX)
    (note,) = found.then
    assert note.startswith("Left out, because it is not known when they came out: paddlepaddle-gpu 3.0.0")
    assert "No release of PaddlePaddle" in found.refusals[0].text
    assert fit_as_of(AMPERE, parse_demand(("torch",)), "2024-05-01", MATRIX).then == ()


def test_a_release_of_that_day_that_does_not_fit_is_not_said_to_be_missing():
    newer = replace(AMPERE, python="3.12")
    (refusal,) = fit_as_of(newer, parse_demand(("torch",)), "2023-05-01", MATRIX).refusals
    assert refusal.constraint == "python"
    assert refusal.ways


def test_today_is_as_without_a_day():
    day = MATRIX.edition
    assert build_on(day, "torch") == [
        one.build
        for place in fit_as_of(AMPERE, parse_demand(("torch",)), "2099-01-01", MATRIX).environments
        for one in place.proposals
    ]


def test_on_the_command_line():
    asked = ["matrix", "fit", "--gpu", "8.6", "--driver", "525", "--python", "3.10", "--as-of", "2023-05-01"]
    result = CliRunner().invoke(cli, [*asked, "--format", "json"])
    assert result.exit_code == 0
    assert '"as_of":"2023-05-01"' in result.output.replace(": ", ":").replace(" ", "")
    assert "2.0.0" in json.dumps(json.loads(result.output))
    assert CliRunner().invoke(cli, [*asked[:-1], "May 2023"]).exit_code == 2
