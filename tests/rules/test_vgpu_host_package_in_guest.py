"""DRV032 vgpu-host-package-in-guest: when it fires, when it is quiet, and what it cannot judge."""

import pytest
from msgspec.structs import replace

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import System
from tests.rules.table import fires, quiet, skips
from tests.whole import driver, gpu, machine

RULE = "vgpu-host-package-in-guest"
GUEST = System(os="linux", arch="x86_64", virtualization="kvm")
WHOLE = driver("460.73.02")
MANAGER = replace(WHOLE, modules_loaded=("nvidia", "nvidia_vgpu_vfio"), libraries=WHOLE.libraries[1:])


def given(installed, host=GUEST):
    one = machine(gpus=(gpu("GRID RTX6000-4Q", "7.5", virtualization="vgpu"),), driver=installed, host=host)
    return {"gpus": one.gpus, "driver": one.driver, "host": one.host}


QUIET = {
    "the guest driver": given(WHOLE),
    "a hypervisor": given(MANAGER, replace(GUEST, virtualization="none")),
    "CUDA is there": given(replace(MANAGER, libraries=WHOLE.libraries)),
    "modules not seen": given(replace(MANAGER, modules_loaded=None)),
}


def test_it_fires():
    found = fires(RULE, **given(MANAGER))
    assert "grid" in found.fixes[0].steps[0].text
    assert "nvml-library-missing" in found.explains


@pytest.mark.parametrize("one", QUIET.values(), ids=QUIET)
def test_it_is_quiet(one):
    quiet(RULE, **one)


def test_it_leaves_open_what_was_not_seen():
    assert skips(RULE, **given(MANAGER) | {"driver": Gap(reason="not seen")})
    assert skips(RULE, **given(replace(MANAGER, libraries=None)))
