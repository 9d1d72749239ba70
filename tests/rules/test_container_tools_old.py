"""BOX027 container-tools-old: when it fires, when it is quiet, and what it cannot judge."""

import pytest
from msgspec.structs import replace

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.system import Container, Wsl
from tests.rules.table import fires, quiet, skips
from tests.whole import driver

RULE = "container-tools-old"
INSIDE = Container(kind="docker", wsl=Wsl(version=2, dxg=True, driver_library=True))
FAILS = replace(driver("555.85", "12.5"), cuda_init=Answer(outcome="answered", code=500, name="CUDA_ERROR_NOT_FOUND"))

QUIET = {
    "CUDA starts": {"driver": driver("555.85", "12.5"), "container": INSIDE},
    "another error": {"driver": replace(FAILS, cuda_init=Answer(outcome="answered", code=100)), "container": INSIDE},
    "no container": {"driver": FAILS, "container": replace(INSIDE, kind="none")},
    "Linux itself": {"driver": FAILS, "container": replace(INSIDE, wsl=None)},
    "not asked": {"driver": replace(FAILS, cuda_init=None), "container": INSIDE},
}


def test_it_fires():
    found = fires(RULE, driver=FAILS, container=INSIDE)
    assert "4.31" in found.fixes[0].steps[0].text
    assert "cuda-init-failed" in found.explains


@pytest.mark.parametrize("given", QUIET.values(), ids=QUIET)
def test_it_is_quiet(given):
    quiet(RULE, **given)


def test_it_leaves_open_what_was_not_seen():
    assert skips(RULE, driver=FAILS, container=Gap(reason="not seen"))


def test_a_container_has_the_drivers_files_in_its_own_folders():
    quiet("wsl-linux-driver-installed", driver=FAILS, container=INSIDE, host=Gap(reason="not seen"))
    fires(
        "wsl-linux-driver-installed", driver=FAILS, container=replace(INSIDE, kind="none"), host=Gap(reason="not seen")
    )
