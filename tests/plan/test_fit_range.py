"""The oldest, the nearest and the newest build that fit."""

import json

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from gpudoctor.cli.main import cli
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.fit_range import fit_range
from gpudoctor.plan.machine import Machine

MATRIX = load_matrix()
ADA = Machine(
    driver=DriverRelease("535.183.01"), capabilities=(Capability("8.9"),), python="3.10", platform="linux-x86_64"
)


@pytest.mark.parametrize(
    ("installed", "nearest"),
    [
        ("2.2.0+cpu", "torch 2.2.0+cu121"),
        ("2.2.0+cu118", "torch 2.2.0+cu118"),
        ("2.5.7", "torch 2.5.0+cu124"),
        ("1.4.0", "torch 1.11.0+cu115"),
        ("9.9", "torch 2.14.1+cu126"),
        ("2.14.1", "torch 2.14.1+cu126"),
        ("2.10.5", "torch 2.10.0+cu128"),
        ("nightly", None),
        (None, None),
    ],
)
def test_the_nearest(installed, nearest):
    span = fit_range(ADA, Wanted(framework="torch"), MATRIX, installed)
    assert (span.nearest.build if span.nearest else None) == nearest


def test_the_ends_keep_to_the_wish():
    span = fit_range(ADA, Wanted(framework="torch", specifier=">=2.1,<2.4"), MATRIX)
    assert (span.oldest.version, span.newest.version) == ("2.1.0", "2.3.1")
    assert fit_range(ADA, Wanted(framework="torch", specifier="<1.9"), MATRIX) is None


def test_what_the_driver_does_not_serve_has_no_range():
    old = replace(ADA, driver=DriverRelease("470.82.01"))
    assert fit_range(old, Wanted(framework="torch"), MATRIX) is None
    both = fit_range(replace(ADA, driver=DriverRelease("520.56.06")), Wanted(framework="torch"), MATRIX)
    assert both.newest.variant == "cu118"


def test_every_release_is_counted_once():
    span = fit_range(ADA, Wanted(framework="torch", specifier=">=2.1,<2.3"), MATRIX)
    assert span.releases == 6


def test_at_the_command_line():
    machine = ("--gpu", "8.9", "--driver", "535.183.01", "--python", "3.10")
    result = CliRunner().invoke(
        cli, ["matrix", "fit", "torch", *machine, "--installed", "torch==2.2.0+cpu", "--format", "json"]
    )
    (span,) = json.loads(result.output)["spans"]
    assert span["nearest"]["build"] == "torch 2.2.0+cu121"
    assert CliRunner().invoke(cli, ["matrix", "fit", "--installed", "new"]).exit_code == 2
