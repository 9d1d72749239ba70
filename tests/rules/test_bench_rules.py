"""Tables of the rules on measurements."""

import pytest
from msgspec import structs

from gpudoctor.facts.bench import TOGETHER, BenchDevice
from gpudoctor.facts.gpus import GpuProcess, PcieLink, Power
from gpudoctor.facts.live import Live
from tests.bench.reports import gpu_measurements, h100, sampled
from tests.bench.timings import bench, gemm, noisy, step, transfer
from tests.rules.table import fires, judge, quiet

EVERY = (
    "bench-products-slow",
    "bench-memory-slow",
    "bench-all-reduce-slow",
    "bench-copies-slow",
    "bench-link-narrow",
    "bench-held-down",
    "bench-gpu-shared",
    "bench-no-gain",
    "perf-input-bound",
)


def live(*measured, samples=None, **fields):
    return Live(bench=bench(*measured, samples=sampled() if samples is None else samples, **fields))


@pytest.mark.parametrize("name", EVERY)
def test_a_healthy_gpu(name):
    # Its examples are chosen quickly: what the made-up ones take is another rule's test.
    measured = [one for one in gpu_measurements() if not getattr(one, "input_seconds", None)]
    quiet(name, gpus=h100(), live=live(*measured))


@pytest.mark.parametrize("name", [*EVERY, "bench-precision-gain"])
def test_nothing_was_measured(name):
    quiet(name, gpus=h100(), live=Live())
    quiet(name, gpus=None, live=Live(bench=bench(gemm(4096, 0.1, device="cpu"), product=None)))
    quiet(name, gpus=None, live=None)


@pytest.mark.parametrize(
    ("share", "speaks"), [(1.0, False), (0.83, False), (0.81, True), (0.5, True)], ids=["all", "0.75", "less", "half"]
)
def test_products(share, speaks):
    """A healthy H100 reaches 794.5 TFLOP/s in bfloat16; the made-up one 720 x share. 0.83 is still above 0.75."""
    say = fires if speaks else quiet
    found = say("bench-products-slow", gpus=h100(), live=live(gemm(8192, 720 * share, precision="bfloat16")))
    assert found is None or "the cause is unknown" in found.summary


def test_products_that_say_nothing():
    slow = [gemm(8192, 100, precision="bfloat16", time=noisy)]
    quiet("bench-products-slow", gpus=h100(), live=live(*slow))
    # A GPU is not filled by small matrices.
    quiet("bench-products-slow", gpus=h100(), live=live(gemm(1024, 100, precision="bfloat16")))
    # Of a model for which nobody published what it reaches.
    unknown = live(gemm(8192, 100, precision="bfloat16"), product="NVIDIA GeForce RTX 9999")
    quiet("bench-products-slow", gpus=h100(name="NVIDIA GeForce RTX 9999"), live=unknown)
    # A slice of a GPU has its own peak.
    quiet("bench-products-slow", gpus=h100(mig_enabled=True), live=live(gemm(8192, 100, precision="bfloat16")))


def test_likely_causes():
    slow = gemm(8192, 300, precision="bfloat16")
    found = fires("bench-products-slow", gpus=h100(), live=live(slow, samples=sampled(reasons=("HwThermalSlowdown",))))
    assert "too hot" in found.summary
    assert found.confidence == "likely"
    capped = h100(power=Power(limit=350.0, default_limit=700.0))
    found = fires("bench-products-slow", gpus=capped, live=live(slow))
    assert "power limit is lowered" in found.summary
    assert "sudo nvidia-smi -pl 700" in found.fixes[0].steps[0].text
    shared = h100(processes=(GpuProcess(pid=7, name="python", kind="compute"),))
    assert "1 other program" in fires("bench-products-slow", gpus=shared, live=live(slow)).summary
    locked = h100(clock_sm_max_mhz=1980)
    found = fires("bench-products-slow", gpus=locked, live=live(slow, samples=sampled(clock=900)))
    assert "clock stayed low" in found.summary
    # A GPU at its usual power limit under load is healthy.
    found = fires("bench-products-slow", gpus=h100(), live=live(slow, samples=sampled(reasons=("SwPowerCap",))))
    assert "the cause is unknown" in found.summary


def test_memory():
    fires("bench-memory-slow", gpus=h100(), live=live(transfer("device", 1900, size=256 << 20)))
    quiet("bench-memory-slow", gpus=h100(), live=live(transfer("device", 1910, size=256 << 20)))
    quiet("bench-memory-slow", gpus=h100(), live=live(transfer("device", 1000, size=1 << 20)))
    quiet("bench-memory-slow", gpus=h100(), live=live(transfer("device", 1000, size=256 << 20, time=noisy)))


def test_all_reduce():
    """A node of H100 whose links carry less than 460 GB/s is not accepted by an operator of such."""

    def of(rate, *, number=8, product="NVIDIA H100 80GB HBM3", **fields):
        one = structs.replace(transfer("all-reduce", rate, device=TOGETHER, size=256 << 20), gpus=number)
        devices = tuple(BenchDevice(name=f"gpu:{index}", product=product) for index in range(number))
        return Live(bench=structs.replace(bench(one, product=None, **fields), devices=devices))

    name = "bench-all-reduce-slow"
    assert "74%" in fires(name, gpus=h100(), live=of(341)).summary
    quiet(name, gpus=h100(), live=of(350))
    quiet(name, gpus=h100(), live=of(100, number=4))
    quiet(name, gpus=h100(), live=of(100, product="NVIDIA H100 PCIe"))


def test_copies():
    """PCIe 5.0 x16 carries 63 GB/s."""
    found = fires("bench-copies-slow", gpus=h100(), live=live(transfer("host-to-device", 47, pinned=True)))
    assert "75%" in found.summary
    quiet("bench-copies-slow", gpus=h100(), live=live(transfer("host-to-device", 48, pinned=True)))
    # Pageable memory is slow by design; small copies are all latency.
    quiet("bench-copies-slow", gpus=h100(), live=live(transfer("host-to-device", 10, pinned=False)))
    quiet("bench-copies-slow", gpus=h100(), live=live(transfer("host-to-device", 10, pinned=True, size=4096)))
    # A link of four lanes at full speed: another rule's matter.
    narrow = h100(pcie=PcieLink(generation_max=4, width=4, width_max=16))
    quiet("bench-copies-slow", gpus=narrow, live=live(transfer("host-to-device", 6.8, pinned=True), samples=()))
    # No link known, none judged.
    quiet("bench-copies-slow", gpus=None, live=live(transfer("host-to-device", 1, pinned=True), samples=()))


def test_link():
    measured = transfer("host-to-device", 6.8, pinned=True)
    four = tuple(sampled_with(pcie_width=4))
    found = fires("bench-link-narrow", gpus=h100(), live=live(measured, samples=four))
    assert "PCIe 5.0 x4" in found.summary
    assert "x16 is possible" in found.summary
    old = tuple(sampled_with(pcie_generation=3))
    fires("bench-link-narrow", gpus=h100(), live=live(measured, samples=old))
    # Nothing was sampled under load: the link at rest says nothing.
    quiet("bench-link-narrow", gpus=h100(), live=live(measured, samples=()))


def sampled_with(**fields):
    from msgspec import structs

    return (structs.replace(one, **fields) for one in sampled())


@pytest.mark.parametrize(
    ("reason", "speaks"),
    [("HwThermalSlowdown", True), ("SwThermalSlowdown", True), ("HwPowerBrakeSlowdown", True), ("SwPowerCap", False)],
)
def test_held_down(reason, speaks):
    say = fires if speaks else quiet
    say("bench-held-down", gpus=h100(), live=live(gemm(8192, 700), samples=sampled(reasons=(reason,))))


def test_held_down_at_rest_is_nothing():
    idle = tuple(sampled_with(utilization_percent=0, throttle_reasons=("SwThermalSlowdown",)))
    quiet("bench-held-down", gpus=h100(), live=live(gemm(8192, 700), samples=idle))


def test_another_gpu_that_is_hot_is_not_this_one():
    hot = sampled(reasons=("HwThermalSlowdown",), device="gpu:1", uuid="GPU-2")
    quiet("bench-held-down", gpus=h100(), live=live(gemm(8192, 700), samples=(*sampled(), *hot)))


def test_shared():
    ours = gemm(8192, 700)
    both = (GpuProcess(pid=7, name="python", kind="compute"), GpuProcess(pid=8, name="Xorg", kind="graphics"))
    found = fires("bench-gpu-shared", gpus=h100(processes=both), live=live(ours))
    assert "python (7)" in found.evidence[0].value
    quiet("bench-gpu-shared", gpus=h100(processes=both[1:]), live=live(ours))


def test_no_gain():
    pairs = [
        step(network, seconds, device=device, batch=256)
        for network in ("conv", "transformer")
        for device, seconds in (("cpu", 0.010), ("gpu:0", 0.012))
    ]
    assert "0.8 times" in fires("bench-no-gain", gpus=h100(), live=live(*pairs)).summary
    quiet("bench-no-gain", gpus=h100(), live=live(*pairs, step("conv", 1.0, "cpu", 512), step("conv", 0.1, batch=512)))
    # The toy of every tutorial may well be quicker on the CPU.
    toys = [
        step("dense", 0.001, "cpu"),
        step("dense", 0.002),
        step("conv", 0.001, "cpu", 8),
        step("conv", 0.002, batch=8),
    ]
    quiet("bench-no-gain", gpus=h100(), live=live(*toys))
    quiet(
        "bench-no-gain", gpus=h100(), live=live(*[step(one.network, 1.0, one.device, 256, time=noisy) for one in pairs])
    )


def test_precision_gain():
    exact, rounded = gemm(8192, 48), gemm(8192, 380, precision="tf32")
    assert "7.9 times" in fires("bench-precision-gain", gpus=h100(), live=live(exact, rounded)).summary
    quiet("bench-precision-gain", gpus=h100(), live=live(exact, gemm(8192, 60, precision="tf32")))
    steps = [step("conv", 0.004, batch=1024), step("conv", 0.001, batch=1024, precision="mixed-bfloat16")]
    found = fires("bench-precision-gain", gpus=h100(), live=live(*steps))
    assert "4.0 times" in found.summary
    assert "autocast" in found.fixes[0].steps[0].text
    quiet("bench-precision-gain", gpus=h100(), live=live(exact, gemm(8192, 380, precision="tf32", time=noisy)))


def test_input_bound():
    starved = step("conv", 0.01, compute_seconds=0.001, input_seconds=0.006, transfer_seconds=0.003)
    assert "9.0 times" in fires("perf-input-bound", gpus=h100(), live=live(starved)).summary
    fed = step("conv", 0.01, compute_seconds=0.008, input_seconds=0.001, transfer_seconds=0.001)
    quiet("perf-input-bound", gpus=h100(), live=live(fed))


def test_a_cause_takes_its_consequence_along():
    from gpudoctor.diagnosis.diagnose import diagnose
    from gpudoctor.facts.snapshot import Snapshot
    from gpudoctor.knowledge.matrix.load import load_matrix
    from gpudoctor.rules.load import load_rules

    hot = live(gemm(8192, 300, precision="bfloat16"), samples=sampled(reasons=("HwThermalSlowdown",)))
    rules = tuple(rule for rule in load_rules() if rule.code.startswith("PRF"))
    found = diagnose(Snapshot(gpus=h100(), live=hot), load_matrix(), rules).findings
    because = {finding.name: finding.because_of for finding in found}
    assert because["bench-held-down"] == ()
    assert because["bench-products-slow"] == ("PRF014",)
    assert judge("bench-products-slow", gpus=h100(), live=hot)
