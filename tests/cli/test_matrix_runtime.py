"""`gpudoctor matrix runtime`: what is there before anything is installed."""

import json

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli


def rows(*which):
    result = CliRunner().invoke(cli, ["matrix", "runtime", *which, "--format", "json"])
    assert result.exit_code == 0, result.output
    return json.dumps(json.loads(result.output))


@pytest.mark.parametrize(
    ("which", "says"),
    [
        (("colab", "2026-08-19"), ("2.11.0+cu128", "3.13")),
        (("kaggle", "v170"), ("2.10.0+cu128", "3.12")),
        (("jetpack", "6.2"), ("36.4.3", "12.6", "3.10")),
        (("jetpack", "4.6.1"), ("32.7.1", "10.2", "3.6")),
        (("conda-forge", "pytorch", "2.13.0"), ("12.9", "12.8", "13.0", "windows-x86_64")),
    ],
)
def test_what_a_runtime_has(which, says):
    shown = rows(*which)
    assert all(one in shown for one in says)


@pytest.mark.parametrize("name", ["colab", "kaggle", "jetpack", "conda-forge"])
def test_all_releases_of_one(name):
    tables = json.loads(rows(name))["tables"]
    assert len(tables) == 1 and len(tables[0]["rows"]) > 3


def test_a_number_is_compared_whole():
    assert "4.6.2" not in rows("jetpack", "6.2")
    assert "6.2.1" in rows("jetpack", "6.2")


def test_all_of_them_and_one_that_is_not_known():
    assert all(f"{name}" in rows() for name in ("Colab", "Kaggle", "JetPack", "conda-forge"))
    assert CliRunner().invoke(cli, ["matrix", "runtime", "sagemaker"]).exit_code == 2


def test_an_amd_gpu_and_the_builds_with_code_for_it():
    result = CliRunner().invoke(cli, ["matrix", "gpu", "RX 7600", "--format", "json"])
    product, builds = json.loads(result.output)["tables"]
    assert [row["gfx"] for row in product["rows"]] == ["gfx1102"]
    assert {row["version"] for row in builds["rows"]} >= {"2.7.1", "2.8.0"} and "2.6.0" not in str(builds)
