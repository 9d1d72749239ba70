"""DRV033 amd-device-files: when it fires, when it is quiet, and what it cannot judge."""

import pytest
from msgspec.structs import replace

from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.system import Container, Wsl
from tests.rules.situations import BARE, DOCKER, UBUNTU, node
from tests.rules.stacks import framework, frameworks
from tests.rules.table import fires, quiet, skips

RULE = "amd-device-files"
RADEON = Gpu(vendor="amd", name="AMD Radeon RX 7900 XTX", bound_driver="amdgpu")
REFUSED = node("/dev/kfd", accessible=False, error="EACCES", mode=0o660, group="render")
ROCM = framework("torch", "2.6.0+rocm6.2.4")


def radeon(*nodes, container=BARE, build=ROCM, card=RADEON):
    return {
        "gpus": Gpus(devices=(card,), amd_nodes=nodes),
        "frameworks": frameworks(build),
        "host": replace(UBUNTU, groups=("ada", "sudo")),
        "container": container,
    }


#: Machine, and a word of its fix.
FIRES = {
    "a user without the groups": (radeon(REFUSED), "usermod -aG render"),
    "a container that was not given it": (radeon(container=DOCKER), "--device /dev/kfd"),
    "the module is not loaded": (radeon(card=replace(RADEON, bound_driver="none")), "modprobe amdgpu"),
}
QUIET = {
    "open to all": radeon(node("/dev/kfd")),
    "not looked at": radeon(REFUSED) | {"gpus": Gpus(devices=(RADEON,))},
    "WSL, which has another way": radeon(container=Container(kind="none", wsl=Wsl(version=2))),
    "a build for the processor": radeon(REFUSED, build=framework("torch", "2.6.0+cpu")),
    "an NVIDIA GPU": radeon(card=Gpu(vendor="nvidia", name="NVIDIA GeForce RTX 4090")),
}
OPEN = {"no frameworks seen": radeon(REFUSED) | {"frameworks": Gap(reason="not seen")}}


@pytest.mark.parametrize(("machine", "word"), FIRES.values(), ids=FIRES)
def test_it_fires(machine, word):
    found = fires(RULE, **machine)
    assert word in " ".join(
        step.text if hasattr(step, "text") else " ".join(step.argv) for step in found.fixes[0].steps
    )


@pytest.mark.parametrize("machine", QUIET.values(), ids=QUIET)
def test_it_is_quiet(machine):
    quiet(RULE, **machine)


@pytest.mark.parametrize("machine", OPEN.values(), ids=OPEN)
def test_it_leaves_open_what_was_not_seen(machine):
    assert skips(RULE, **machine)
