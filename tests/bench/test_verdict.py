"""What is said of a measurement, and what is not."""

import pytest

from gpudoctor.bench.estimates import EFFICIENCY, crossover_with_copies, estimates
from gpudoctor.bench.verdict import conclude, rate
from gpudoctor.facts.bench import BenchDevice, Timing
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.knowledge.matrix.efficiency import achieved, gpu_of, link_of
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.bench.reports import cpu_report, gpu_report, h100, sampled
from tests.bench.timings import bench, gemm, noisy, steady, step, transfer

MATRIX = load_matrix()


def said(report):
    return " ".join(report.conclusion.sentences)


def test_a_gpu_in_words():
    text = said(gpu_report())
    assert "Training steps on NVIDIA H100 80GB HBM3, as times as quick as on this CPU with 16 threads:" in text
    assert "conv on 28x28 inputs: 13.2 at batch 8 to 325 at batch 1024." in text
    assert "that lie on the GPU are quicker than on the CPU from 256 by 256 on (128 is not)" in text
    assert "copied there and back each time are quicker than on the CPU from 512 by 512 on" in text
    assert "76% of the peak, 101% of what healthy ones reach" in text
    assert "copies to it 52.0 GB/s (83% of the link)" in text
    assert "stimated" not in text


def test_where_a_gpu_is_overkill():
    measured = [
        step("dense", ms / 1000, device, batch)
        for batch, cpu, gpu in ((8, 1, 2), (64, 2, 2), (512, 9, 3))
        for device, ms in (("cpu", cpu), ("gpu:0", gpu))
    ]
    text = " ".join(conclude(bench(*measured), None, MATRIX).sentences)
    assert "0.5 at batch 8 to 3.0 at batch 512; it begins to pay at batch 512" in text
    text = " ".join(conclude(bench(*measured[:4]), None, MATRIX).sentences)
    assert "it gains nothing" in text


def test_no_verdict_from_noise():
    measured = [step("conv", 0.1, "cpu", time=noisy), step("conv", 0.08, time=noisy)]
    found = conclude(bench(*measured), None, MATRIX)
    text = " ".join(found.sentences)
    assert "cannot be said: its timings are too noisy" in text
    assert "times as quick" not in text
    assert (found.noisy, found.timings) == (2, 2)
    assert "2 of 2 timings are noisy" in text


def test_noise_that_does_not_matter():
    measured = [step("conv", 0.1, "cpu", time=noisy), step("conv", 0.001, time=noisy)]
    text = " ".join(conclude(bench(*measured), None, MATRIX).sentences)
    assert "conv on 28x28 inputs: 53 to 188 at batch 64." in text


@pytest.mark.parametrize(
    ("time", "is_noisy"),
    [
        (steady(1.0), False),
        (steady(1.0, spread=0.049), False),
        (steady(1.0, spread=0.051), True),
        (steady(1.0, drift=0.09), False),
        (steady(1.0, drift=0.11), True),
        (steady(1.0, repeats=2), True),
        (Timing(median=0.0, p20=0.0, p80=0.0, repeats=9), False),
    ],
)
def test_noise(time, is_noisy):
    assert time.noisy is is_noisy


def test_nothing_measured_and_nothing_said():
    assert conclude(bench(), None, MATRIX).sentences == ("Nothing was measured, so nothing follows.",)


def test_a_part_is_said_to_be_one():
    found = conclude(bench(gemm(1024, 1.0, "cpu"), product=None, complete=False), None, MATRIX)
    assert "stopped before its end" in found.sentences[0]


def test_a_cpu_alone_gets_an_estimate_that_is_called_one():
    report = cpu_report()
    text = said(report)
    assert "No GPU was measured. This CPU with 16 threads: memory 26.0 GB/s, float32 products" in text
    assert "Estimated, not measured" in text
    assert not report.conclusion.speedups
    assert len(report.conclusion.estimates) == 6


def test_the_estimate_is_the_lower_of_memory_and_arithmetic():
    measured = bench(gemm(2048, 0.1, "cpu"), transfer("host", 25, "cpu"), product=None)
    t4 = next(one for one in estimates(measured, MATRIX) if one.product == "Tesla T4")
    assert t4.compute == pytest.approx(8.14 * EFFICIENCY / 0.1)
    assert t4.memory == pytest.approx(320.1 * EFFICIENCY / 25)
    assert t4.least == t4.memory


def test_no_estimate_from_noise_or_beside_a_measured_gpu():
    assert not estimates(bench(gemm(2048, 0.1, "cpu", time=noisy), product=None), MATRIX)
    assert not estimates(bench(gemm(2048, 0.1, "cpu")), MATRIX)
    only_memory = estimates(bench(transfer("host", 25, "cpu"), product=None), MATRIX)
    assert all(one.least is None and one.memory for one in only_memory)
    assert "too noisy to estimate" in said(cpu_report(time=noisy))


@pytest.mark.parametrize(("teraflops", "size"), [(0.5, 120), (1, 240), (3, 720)])
def test_crossing_with_copies_by_arithmetic(teraflops, size):
    assert crossover_with_copies(teraflops * 1e12) == size


def test_host_memory_against_what_was_given():
    measured = bench(transfer("host", 70, "cpu"), gemm(512, 0.1, "cpu"), product=None)
    found = achieved(measured, None, MATRIX, host_memory=93.9e9)
    assert found[0].of_peak == pytest.approx(0.745, rel=1e-2)
    assert found[1].of_peak is None


def test_the_link_is_the_one_under_load():
    measured = bench(samples=sampled())
    (gpu,) = h100().devices
    assert str(link_of(measured, gpu)) == "PCIe 5.0 x16"
    assert str(link_of(bench(), gpu)) == "PCIe 5.0 x16"
    assert str(link_of(bench(), None)) == "PCIe ?.0 x?"


def test_which_gpu_was_measured():
    two = Gpus(
        devices=tuple(
            Gpu(vendor="nvidia", name="A", uuid=f"GPU-{one}", pci_bus_id=f"0000:0{one}:00.0") for one in (1, 2)
        )
    )
    assert gpu_of(BenchDevice(name="gpu:0", product="A", uuid="gpu-2"), two) is two.devices[1]
    assert gpu_of(BenchDevice(name="gpu:0", product="A", pci_bus_id="0000:01:00.0"), two) is two.devices[0]
    # Two of one name, and nothing else known: neither.
    assert gpu_of(BenchDevice(name="gpu:0", product="A"), two) is None


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (3.35e12, "B/s", "3,350 GB/s"),
        (93.9e9, "B/s", "93.9 GB/s"),
        (794.5e12, "FLOP/s", "794 TFLOP/s"),
        (5e9, "FLOP/s", "5.0 GFLOP/s"),
    ],
)
def test_rates_in_words(value, unit, text):
    assert rate(value, unit) == text
