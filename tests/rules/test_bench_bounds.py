"""Where the rules on measurements begin to speak, and what they say."""

import pytest
from msgspec import structs

from gpudoctor.facts.bench import BenchDevice, Sample
from gpudoctor.facts.gpus import GpuProcess, PcieLink, Power
from gpudoctor.facts.live import Live
from gpudoctor.rules._benchmarks import busy_samples, causes, fault_reasons, measured_gpus, others_on
from tests.bench.reports import h100
from tests.bench.timings import bench, gemm, noisy, step, transfer
from tests.rules.table import fires, judge, quiet

H100 = h100().devices[0]
SLOW = gemm(8192, 300, precision="bfloat16")


def sample(utilization=99, clock=1980, reasons=(), temperature=60, **fields):
    given = {"at": 1.0, "device": "gpu:0", "uuid": "GPU-1", "pcie_generation": 5, "pcie_width": 16, **fields}
    return Sample(
        utilization_percent=utilization,
        clock_sm_mhz=clock,
        throttle_reasons=reasons,
        temperature_c=temperature,
        **given,
    )


def live(*measured, samples=(), **fields):
    return Live(bench=bench(*measured, samples=tuple(samples), **fields))


def values(found):
    return [(one.fact, one.value) for one in found.evidence]


def say(speaks):
    return fires if speaks else quiet


# What is known of the GPU while it was measured.


def test_only_what_was_sampled_under_load_counts():
    samples = (sample(49), sample(50), sample(None), sample(99))
    assert busy_samples(bench(samples=samples), H100) == (samples[1], samples[3])


@pytest.mark.parametrize(("held", "told"), [(1, False), (2, True), (10, True)], ids=["10 %", "20 %", "all"])
def test_a_fault_in_a_fifth_of_the_samples_is_a_pattern(held, told):
    samples = [sample(reasons=("HwSlowdown",))] * held + [sample()] * (10 - held)
    measured = bench(samples=tuple(samples))
    assert fault_reasons(measured, H100) == ({"HwSlowdown": held / 10} if told else {})
    assert fault_reasons(bench(samples=()), H100) == {}


def test_the_reason_that_held_longest_speaks():
    samples = [sample(reasons=("HwSlowdown",))] * 3 + [sample(reasons=("SwThermalSlowdown",), temperature=91)] * 7
    found = fires("bench-held-down", gpus=h100(), live=live(SLOW, samples=samples))
    assert found.summary == "For 70% of the time under load the GPU held its clocks down: it is too hot."
    assert values(found) == [
        ("SwThermalSlowdown", "70% of the samples under load"),
        ("HwSlowdown", "30% of the samples under load"),
        ("highest temperature", "91 C"),
    ]
    cold = [sample(reasons=("HwSlowdown",), temperature=None)]
    assert len(fires("bench-held-down", gpus=h100(), live=live(SLOW, samples=cold)).evidence) == 1


def names(gpu, samples=()):
    return [cause.text for cause in causes(bench(samples=tuple(samples)), gpu)]


@pytest.mark.parametrize(
    ("fields", "samples", "texts"),
    [
        ({}, (), []),
        ({"power": Power(limit=665.0, default_limit=700.0)}, (), []),
        ({"power": Power(limit=664.0, default_limit=700.0)}, (), ["its power limit is lowered"]),
        ({"power": Power(limit=664.0)}, (), []),
        ({"power": Power(default_limit=700.0)}, (), []),
        ({"clock_sm_max_mhz": 2000}, [sample(clock=1600)], []),
        ({"clock_sm_max_mhz": 2000}, [sample(clock=1599)], ["its clock stayed low"]),
        ({"clock_sm_max_mhz": 2000}, [sample(clock=1599, utilization=10)], []),
        ({"clock_sm_max_mhz": 2000}, [sample(clock=None)], []),
        ({}, [sample(clock=300)], []),
        # The one in the middle speaks, not the lowest or the highest.
        ({"clock_sm_max_mhz": 2000}, [sample(clock=c) for c in (900, 1990, 1980)], []),
        ({"clock_sm_max_mhz": 2000}, [sample(clock=c) for c in (1990, 900, 910)], ["its clock stayed low"]),
        ({"clock_sm_max_mhz": 2000}, [sample(clock=c) for c in (900, 910, 1970, 1980, 1990)], []),
    ],
)
def test_what_could_have_held_it_back(fields, samples, texts):
    assert names(structs.replace(H100, **fields), samples) == texts


def test_nothing_is_known_of_a_gpu_that_nvml_does_not_list():
    assert list(causes(bench(samples=(sample(),)), None)) == []
    assert others_on(None) == 0
    assert [gpu for _, gpu in measured_gpus(bench(), None)] == [None]
    assert list(measured_gpus(None, h100())) == []


def test_programs_beside_it():
    def others(*kinds):
        processes = tuple(GpuProcess(pid=pid, name=None, kind=kind) for pid, kind in enumerate(kinds, 7))
        return h100(processes=processes)

    one = fires("bench-gpu-shared", gpus=others("graphics", "compute"), live=live(SLOW))
    assert one.summary.startswith("1 other program used the GPU")
    assert values(one) == [("on the GPU before the measuring began", "PID (8)")]
    two = fires("bench-gpu-shared", gpus=others("compute", "compute"), live=live(SLOW))
    assert two.summary.startswith("2 other programs used the GPU")
    assert values(two)[0][1] == "PID (7), PID (8)"
    assert (
        "2 other programs used it"
        in fires("bench-products-slow", gpus=others("compute", "compute"), live=live(SLOW)).summary
    )
    quiet("bench-gpu-shared", gpus=None, live=live(SLOW))


def test_each_gpu_is_judged():
    """One of which there is nothing to say hides none of the next."""
    alone, used = H100, structs.replace(H100, uuid="GPU-2", index=1, processes=(GpuProcess(pid=7, kind="compute"),))
    hot = sample(device="gpu:1", uuid="GPU-2", reasons=("HwSlowdown",), pcie_width=4)
    measured = live(SLOW, samples=(sample(), hot))
    second = BenchDevice(name="gpu:1", product=H100.name, uuid="GPU-2")
    both = structs.replace(measured.bench, devices=(*measured.bench.devices, second))
    cards = structs.replace(h100(), devices=(alone, used))
    for rule in ("bench-gpu-shared", "bench-held-down", "bench-link-narrow"):
        assert [one.subject for one in judge(rule, gpus=cards, live=Live(bench=both))] == [used.label]
    copies = tuple(transfer("host-to-device", rate, device=f"gpu:{i}", pinned=True) for i, rate in enumerate((60, 10)))
    both = structs.replace(both, transfers=copies, samples=(sample(), sample(device="gpu:1", uuid="GPU-2")))
    assert [one.subject for one in judge("bench-copies-slow", gpus=cards, live=Live(bench=both))] == [used.label]
    # Of a GPU that NVML does not list no link is known.
    quiet("bench-copies-slow", gpus=structs.replace(h100(), devices=(used,)), live=live(*copies, samples=[sample()]))


# Rates.


def test_what_a_slow_gpu_is_told():
    found = fires("bench-products-slow", gpus=h100(), live=live(SLOW))
    assert found.summary == (
        "Matrix products in bfloat16 are only 38% as fast as on a healthy NVIDIA H100 80GB HBM3; the cause is unknown."
    )
    assert found.confidence == "possible"
    assert [fact for fact, _ in values(found)] == ["measured (bfloat16)", "healthy ones reach"]
    assert values(found)[0][1] == "300.0 TFLOP/s"
    memory = fires("bench-memory-slow", gpus=h100(), live=live(transfer("device", 1000, size=256 << 20)))
    assert values(memory)[0] == ("measured (memory)", "1,000.0 GB/s")


def test_the_precision_that_is_furthest_behind_speaks_for_all():
    for others, told in (((400, 8), "float32"), ((100, 20), "bfloat16")):
        measured = [
            gemm(8192, rate, precision=name) for rate, name in zip(others, ("bfloat16", "float32"), strict=True)
        ]
        (found,) = judge("bench-products-slow", gpus=h100(), live=live(*measured))
        assert found.summary.startswith(f"Matrix products in {told} are")


@pytest.mark.parametrize(
    ("rate", "fields", "speaks"),
    [
        (40, {}, True),
        (40, {"size": 4096}, False),
        (40, {"pinned": False}, False),
        (40, {"time": noisy}, False),
        (40, {"device": "gpu:1"}, False),
        (60, {}, False),
    ],
)
def test_copies(rate, fields, speaks):
    for direction, words in (("host-to-device", "to"), ("device-to-host", "from")):
        measured = transfer(direction, rate, **{"pinned": True, **fields})
        found = say(speaks)("bench-copies-slow", gpus=h100(), live=live(measured, samples=[sample()]))
        assert found is None or found.summary.startswith(f"Copies {words} the GPU reach only 63%")
    assert found is None or values(found)[0] == ("measured, device-to-host, pinned, 64 MiB", "40.0 GB/s")


def test_the_best_copy_of_each_direction_counts():
    slow, quick = (transfer("host-to-device", rate, pinned=True) for rate in (20, 60))
    back = transfer("device-to-host", 20, pinned=True)
    (found,) = judge("bench-copies-slow", gpus=h100(), live=live(slow, quick, back, samples=[sample()]))
    assert found.summary.startswith("Copies from")


@pytest.mark.parametrize(
    ("pcie", "seen_width", "seen_generation", "speaks"),
    [
        (PcieLink(generation_max=5, width_max=16), 16, 5, False),
        (PcieLink(generation_max=5, width_max=16), 8, 5, True),
        (PcieLink(generation_max=5, width_max=16), 16, 4, True),
        (PcieLink(generation_max=4, width_max=8), 16, 5, False),
        (PcieLink(generation_max=5), 8, 4, True),
        (PcieLink(width_max=16), 8, 4, True),
        (PcieLink(), 8, 4, False),
        (PcieLink(generation_max=5, width_max=16), None, None, False),
        (None, 8, 4, False),
    ],
)
def test_links(pcie, seen_width, seen_generation, speaks):
    busy = sample(pcie_width=seen_width, pcie_generation=seen_generation)
    say(speaks)("bench-link-narrow", gpus=h100(pcie=pcie), live=live(SLOW, samples=[busy]))
    quiet(
        "bench-link-narrow",
        gpus=h100(pcie=pcie),
        live=live(SLOW, samples=[structs.replace(busy, utilization_percent=49)]),
    )


def test_a_link_of_which_not_all_is_known():
    found = fires(
        "bench-link-narrow", gpus=h100(pcie=PcieLink(width_max=16)), live=live(SLOW, samples=[sample(pcie_width=8)])
    )
    assert found.summary.endswith("although ?.0 x16 is possible.")
    found = fires(
        "bench-link-narrow",
        gpus=h100(pcie=PcieLink(generation_max=5)),
        live=live(SLOW, samples=[sample(pcie_generation=4)]),
    )
    assert values(found)[1] == ("GPU and slot together", "PCIe 5.0 x?")


# Steps.


def steps(ratio, networks=("conv", "transformer"), batch=64, **fields):
    return [step(name, 0.01, "cpu", batch, **fields) for name in networks] + [
        step(name, 0.01 / ratio, batch=batch, **fields) for name in networks
    ]


@pytest.mark.parametrize(
    ("measured", "speaks"),
    [
        (steps(1.0), True),
        (steps(1.01), False),
        (steps(0.5, batch=63), False),
        (steps(0.5, ("conv",)), False),
        (steps(0.5, ("conv", "dense")), False),
        (steps(0.5, time=noisy), False),
        (steps(0.5) + steps(2.0, ("conv",), batch=128), False),
        (steps(0.5)[:2], False),
        (steps(0.5)[2:], False),
        ([structs.replace(one, device="gpu:1") if one.device == "gpu:0" else one for one in steps(0.5)], False),
    ],
)
def test_no_gain(measured, speaks):
    say(speaks)("bench-no-gain", gpus=h100(), live=live(*measured))


def test_what_is_said_of_no_gain():
    found = fires("bench-no-gain", gpus=None, live=live(*steps(0.5), *steps(0.8, ("conv",), batch=128)))
    assert "NVIDIA H100 80GB HBM3: at best it is 0.8 times as fast as the CPU." in found.summary
    assert found.subject == "NVIDIA H100 80GB HBM3"
    assert values(found) == [
        ("best of the large networks", "conv batch 128 input 28 float32, 0.80 times as fast"),
        ("compared", "3 steps that are not noisy"),
    ]


@pytest.mark.parametrize(
    ("rounded", "fields", "speaks"),
    [(72.1, {}, True), (71.9, {}, False), (380, {"time": noisy}, False), (380, {"device": "gpu:1"}, False)],
)
def test_the_gain_of_fewer_digits(rounded, fields, speaks):
    measured = live(gemm(8192, 48), gemm(8192, rounded, precision="tf32", **fields))
    say(speaks)("bench-precision-gain", gpus=h100(), live=measured)
    if speaks:
        quiet(
            "bench-precision-gain",
            gpus=h100(),
            live=live(gemm(8192, 48, time=noisy), gemm(8192, 380, precision="tf32")),
        )


def test_the_best_gain_of_mixed_precision_counts():
    plain, mixed = (step("conv", 0.004, precision=name) for name in ("float32", "mixed-bfloat16"))
    quick = structs.replace(mixed, time=step("conv", 0.002).time)
    for order in ((plain, mixed, quick), (quick, plain, mixed)):
        found = fires("bench-precision-gain", gpus=h100(), live=live(*order))
        assert "training in mixed precision would be 2.0 times" in found.summary
        assert values(found) == [("measured", "conv, batch 64: mixed-bfloat16 against float32")]
    # Another batch, another device, or nothing exact to compare with.
    quiet("bench-precision-gain", gpus=h100(), live=live(step("conv", 0.004, batch=128), quick))
    quiet("bench-precision-gain", gpus=h100(), live=live(structs.replace(plain, device="cpu"), quick))
    quiet("bench-precision-gain", gpus=h100(), live=live(plain, structs.replace(quick, device="gpu:1")))
    quiet("bench-precision-gain", gpus=h100(), live=live(quick))


def test_a_gpu_is_named_as_well_as_it_is_known():
    waits = step("conv", 0.004, batch=32, compute_seconds=0.001, input_seconds=0.009, transfer_seconds=0.001)
    quick = step("conv", 0.001, batch=32, precision="mixed-bfloat16")
    measured = bench(*steps(0.5), waits, quick, gemm(8192, 48), gemm(8192, 380, precision="tf32"))
    for rule in ("bench-no-gain", "perf-input-bound", "bench-precision-gain"):
        assert fires(rule, gpus=h100(), live=Live(bench=measured)).subject == H100.label
        assert fires(rule, gpus=None, live=Live(bench=measured)).subject == "NVIDIA H100 80GB HBM3"
        nameless = structs.replace(measured, devices=(BenchDevice(name="cpu"), BenchDevice(name="gpu:0")))
        assert fires(rule, gpus=None, live=Live(bench=nameless)).subject == "gpu:0"


@pytest.mark.parametrize(
    ("network", "parts", "speaks"),
    [
        ("conv", {"compute_seconds": 0.001, "input_seconds": 0.001, "transfer_seconds": 0.001}, False),
        ("conv", {"compute_seconds": 0.001, "input_seconds": 0.0011, "transfer_seconds": 0.001}, True),
        ("conv", {"compute_seconds": 0.001, "input_seconds": 0.003}, True),
        ("conv", {"compute_seconds": 0.001, "transfer_seconds": 0.003}, True),
        ("dense", {"compute_seconds": 0.001, "input_seconds": 0.009}, False),
        ("conv", {"input_seconds": 0.009}, False),
        ("conv", {"compute_seconds": 0.001, "input_seconds": 0.009, "time": noisy}, False),
        ("conv", {"compute_seconds": 0.001, "input_seconds": 0.009, "device": "cpu"}, False),
    ],
)
def test_waiting_for_data(network, parts, speaks):
    say(speaks)("perf-input-bound", gpus=h100(), live=live(step(network, 0.01, **parts)))


def test_the_step_that_waits_longest_speaks():
    some = [step("conv", 0.01, batch=b, compute_seconds=0.001, input_seconds=b / 1e4) for b in (32, 96, 64)]
    found = fires("perf-input-bound", gpus=None, live=live(*some))
    assert "takes 9.6 times as long" in found.summary
    assert values(found) == [
        ("step", "conv, batch 96, input 28"),
        ("training alone", "1.00 ms"),
        ("choosing examples", "9.60 ms"),
        ("copying them", "0.00 ms"),
    ]
