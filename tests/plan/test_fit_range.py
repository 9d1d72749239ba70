"""The oldest, the nearest and the newest build that fit."""

import json
from unittest.mock import ANY

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


BLACKWELL = replace(ADA, driver=DriverRelease("570.124.06"), capabilities=(Capability("12.0"),), python="3.12")
NEW = replace(ADA, driver=DriverRelease("580.65.06"), python="3.12")


@pytest.mark.parametrize(
    ("machine", "wanted", "installed", "oldest", "near"),
    [
        # Builds that only other people speak of count where there are no others, or where one is installed.
        (BLACKWELL, Wanted(framework="torch"), "2.6.0", "torch 2.7.0+cu128", "torch 2.7.1+cu128"),
        (BLACKWELL, Wanted(framework="torch"), "2.12.1+cu129", "torch 2.7.0+cu128", "torch 2.12.1+cu129"),
        (NEW, Wanted(framework="torch", specifier="==2.13.0", cuda="12.9"), "2.8", "torch 2.13.0+cu129", ANY),
        # One that is to be mended is not the oldest.
        (NEW, Wanted(framework="tensorflow"), "2.21.0", "tensorflow[and-cuda] 2.16.2", "tensorflow[and-cuda] 2.21.0"),
        (NEW, Wanted(framework="tensorflow"), "2.18.9", "tensorflow[and-cuda] 2.16.2", "tensorflow[and-cuda] 2.18.0"),
    ],
)
def test_the_oldest_is_the_oldest(machine, wanted, installed, oldest, near):
    span = fit_range(machine, wanted, MATRIX, installed)
    assert (span.oldest.build, span.nearest.build) == (oldest, near)


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
