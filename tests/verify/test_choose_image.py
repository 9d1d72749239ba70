"""install --container: the newest of NVIDIA's images that verify says fits, or why none is named."""

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from gpudoctor.cli.main import cli
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.machine import Machine
from gpudoctor.report.container_text import container_text
from gpudoctor.report.terminal import Style
from gpudoctor.verify.choose_image import choose_image
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify
from tests.verify.commands import machines

MATRIX, MACHINES = load_matrix(), machines()
TORCH = Wanted(framework="torch")


def _choice(given, wanted=TORCH):
    return choose_image(wanted, given, MATRIX)


@pytest.mark.parametrize("machine", ["a", "d", "f"])
@pytest.mark.parametrize("framework", ["torch", "tensorflow"])
def test_it_is_the_newest_that_verify_lets_pass(machine, framework):
    given = MACHINES[machine]
    choice = _choice(given, Wanted(framework=framework))
    rows = [row for row in MATRIX.table("containers") if row.image == choice.image.image]
    newer = rows[: rows.index(choice.image)]
    names = [f"docker run --gpus all nvcr.io/nvidia/{row.image}:{row.tag}" for row in newer]
    assert "fits" not in [verify(one, given, MATRIX).word for one in names]
    assert verify(" ".join(choice.command), given, MATRIX).word == "fits"
    assert (choice.newest != "") == bool(newer)


def test_a_release_that_is_asked_for():
    choice = _choice(MACHINES["a"], Wanted(framework="torch", specifier=">=2.1,<2.3"))
    assert choice.image.version.startswith(("2.1", "2.2"))


@pytest.mark.parametrize(
    ("given", "wanted", "says"),
    [
        (Given(machine=Machine(platform="linux-x86_64", cpu_only=True)), TORCH, "No NVIDIA GPU"),
        (Given(machine=Machine(platform="macos-arm64")), TORCH, "No NVIDIA GPU"),
        (MACHINES["a"], Wanted(framework="jax"), "plan jax --format dockerfile"),
        (MACHINES["a"], Wanted(framework="torch", specifier=">=99"), "No image"),
        (
            replace(MACHINES["a"], machine=replace(MACHINES["a"].machine, driver=DriverRelease("390.48"))),
            TORCH,
            "No image in the tables fits",
        ),
    ],
)
def test_why_there_is_none(given, wanted, says):
    choice = _choice(given, wanted)
    assert says in choice.refused and not choice.command
    assert says.split()[0] in container_text(choice, Style(width=80))


def test_the_text_has_the_command_whole():
    choice = _choice(MACHINES["a"])
    assert f"    {' '.join(choice.command)}\n" in container_text(choice, Style(width=40))


@pytest.mark.parametrize("words", [("--venv", "x"), ("--cpu",), ("jax",), ("xformers",)])
def test_what_does_not_go_together(words):
    assert CliRunner().invoke(cli, ["install", "torch", "--container", *words]).exit_code == 2
