"""A record's commands on one machine: of its distribution, filled in, and without what does not fit."""

import pytest

from gpudoctor.diagnosis.commands_that_fit import commands_that_fit
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import DriverRelease
from tests.rules.situations import gpus
from tests.rules.stacks import RTX_5090, frameworks, interpreter, torch


def on(distribution=None, release=None):
    return {"host": System(os="linux", arch="x86_64", distribution=distribution, distribution_version=release)}


BY_SYSTEM = ("sudo apt install x  # Ubuntu", "sudo dnf install y  # Fedora", "sudo reboot")
VISION = "python -m pip install torchvision==<TORCHVISION>  # that of your torch"
OLD = "python -m pip install torch==2.6.0+cu124 --index-url https://download.pytorch.org/whl/cu124"
NEW_GPU = {
    **on(),
    "gpus": gpus(RTX_5090),
    "driver": Driver(release=DriverRelease("570.86.10")),
    "interpreter": interpreter(),
}


@pytest.mark.parametrize(
    ("commands", "sections", "fitting"),
    [
        (BY_SYSTEM, on("ubuntu", "22.04"), ["sudo apt install x", "sudo reboot"]),
        (BY_SYSTEM, on("fedora", "41"), ["sudo dnf install y", "sudo reboot"]),
        # What follows on a change that is left out is left out, too.
        (BY_SYSTEM, on("arch"), []),
        (("sudo apt install <X>", "sudo reboot"), on("fedora", "41"), []),
        (("sudo reboot",), on("arch"), ["sudo reboot"]),
        # Which distribution it is is not known: the comments say it.
        (BY_SYSTEM, on(), list(BY_SYSTEM)),
        # A comment on a word that is filled in explains nothing any more.
        (
            (VISION,),
            {**on(), "frameworks": frameworks(torch("2.6.0+cu124"))},
            ["python -m pip install torchvision==0.21.0"],
        ),
        ((VISION,), on(), [VISION]),
        # A build that does not run on the GPU gives way to one that does.
        (
            (OLD,),
            NEW_GPU,
            ["python -m pip install torch==2.7.0+cu128 --index-url https://download.pytorch.org/whl/cu128"],
        ),
        (("a", "a", "b"), on(), ["a", "b"]),
        ((), on(), []),
    ],
)
def test_what_is_typed_on_that_machine(commands, sections, fitting):
    assert list(commands_that_fit(commands, Snapshot(**sections), ())) == fitting


def test_where_no_machine_is_known_all_stay():
    assert commands_that_fit(BY_SYSTEM, None, ()) == BY_SYSTEM
