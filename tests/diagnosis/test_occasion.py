"""Whether a rule has an occasion, told from its conditions without importing it."""

import pytest
from msgspec import structs

from gpudoctor.diagnosis.occasion import has_occasion
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer, Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Framework, Frameworks, Package, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Environ
from gpudoctor.facts.wish import Wish
from gpudoctor.rules.load import load_rules

SNAPSHOT = Snapshot(
    gpus=Gpus(devices=(Gpu(vendor="nvidia", index=0, throttle_reasons=("GpuIdle",)), Gpu(vendor="intel"))),
    driver=Driver(nvml=Answer(outcome="answered", code=0), kernel_log=Gap(reason="not allowed")),
    packages=Packages(installed=(Package(name="tf-keras", version="2.18.0"),)),
    frameworks=Frameworks(found=(Framework(name="torch", version="2.6.0+cpu", variant="cpu"),)),
    environ=Environ(variables={"CUDA_VISIBLE_DEVICES": ""}),
    libraries=Gap(reason="not looked"),
    live=Live(),
)
HOLD = (
    "",
    "gpus.nvidia",
    "gpus.devices.vendor=intel",
    "gpus.nvidia.throttle_reasons=GpuIdle|HwSlowdown",
    "frameworks.torch.variant=cpu|rocm, packages.tf-keras",
    "not driver.cuda_init.ok",
    "not driver.kernel_log",
    "not libraries.copies",
    "frameworks.jax or frameworks.torch",
    "not environ.CUDA_VISIBLE_DEVICES=None",
)
FAIL = (
    "gpus.several",
    "gpus.nvidia.vendor=intel",
    "gpus.nvidia, frameworks.torch.variant=cuda",
    "not driver.nvml.ok",
    "driver.kernel_log",
    "libraries.copies",
    "container.wsl",
    "wish.requirements",
    "frameworks.jax or packages.jax",
    "not environ.XLA_FLAGS=None",
    "failure",
)


@pytest.mark.parametrize(("when", "held"), [*((one, True) for one in HOLD), *((one, False) for one in FAIL)])
def test_conditions(when, held):
    rule = structs.replace(next(iter(load_rules())), when=when)
    assert has_occasion(rule, SNAPSHOT, Wish()) is held
