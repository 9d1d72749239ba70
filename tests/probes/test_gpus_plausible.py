"""Values that no hardware has are not seen, and said to be impossible; what real GPUs have stays."""

import pytest

from gpudoctor.facts.gpus import Gpu, PcieLink, Power
from gpudoctor.facts.versions import Capability
from gpudoctor.probes.gpus.plausible import plausible

IMPOSSIBLE = [
    ("capability", Capability("99.99")),
    ("capability", Capability("0.0")),
    ("capability", Capability("8.10")),
    ("memory_total_mib", 6_000_000_000 * 1024),
    ("memory_total_mib", -1),
    ("memory_used_mib", 2**50),
    ("temperature_c", 4_000_000),
    ("temperature_c", -300),
    ("clock_sm_mhz", 4_000_000),
    ("utilization_percent", 4711),
    ("pcie.generation", 99),
    ("pcie.width", 4096),
    ("power.draw", 4_294_967.0),
]
REAL = Gpu(
    vendor="nvidia",
    capability=Capability("12.1"),
    memory_total_mib=288 * 1024,
    memory_used_mib=0,
    temperature_c=-5,
    clock_sm_mhz=0,
    utilization_percent=100,
    pcie=PcieLink(generation=6, width=16),
    power=Power(draw=1400.0, limit=1400.0),
)


@pytest.mark.parametrize(("field", "value"), IMPOSSIBLE)
def test_an_impossible_value_is_not_seen(field, value):
    part, _, name = field.rpartition(".")
    kinds = {"pcie": PcieLink, "power": Power}
    gpu = Gpu(vendor="nvidia", **({part: kinds[part](**{name: value})} if part else {name: value}))
    cleaned = plausible(gpu)
    assert getattr(getattr(cleaned, part) if part else cleaned, name) is None
    assert [(one.call, one.name) for one in cleaned.refusals] == [(field, "impossible value")]


def test_what_real_gpus_have_stays():
    assert plausible(REAL) is REAL
    assert plausible(Gpu(capability=Capability("20.0"), memory_total_mib=1 << 20)).refusals == ()
