"""Made-up reports: a machine with a healthy H100, and a CPU alone. Plausible rates that nobody measured."""

from gpudoctor.bench.verdict import conclude
from gpudoctor.facts.bench import Sample
from gpudoctor.facts.bench_report import BenchReport
from gpudoctor.facts.gpus import Gpu, Gpus, PcieLink
from gpudoctor.facts.live import AgentRun
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.bench.timings import bench, gemm, noisy, steady, step, transfer

SIZES = (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)


def h100(**fields):
    """The GPU as NVML knows it."""
    link = PcieLink(generation=1, generation_max=5, width=16, width_max=16)
    known = {"name": "NVIDIA H100 80GB HBM3", "uuid": "GPU-1", "index": 0, "pcie": link, **fields}
    return Gpus(devices=(Gpu(vendor="nvidia", **known),))


def sampled(seconds=30, clock=1980, temperature=35, reasons=(), device="gpu:0", uuid="GPU-1", **fields):
    """Samples of a GPU that works."""
    return tuple(
        Sample(
            at=at / 2,
            device=device,
            uuid=uuid,
            clock_sm_mhz=clock if at > 4 else 345,
            temperature_c=temperature + min(at, 40) // 2,
            power_w=650.0 if at > 4 else 80.0,
            utilization_percent=99 if at > 4 else 0,
            throttle_reasons=reasons if at > 4 else ("GpuIdle",),
            pcie_generation=5 if at > 4 else 1,
            pcie_width=16,
            **fields,
        )
        for at in range(2 * seconds)
    )


def gpu_measurements(share=1.0):
    """What such a GPU and 16 cores of a CPU could do; `share` of what the GPU should."""
    found = []
    for n in SIZES:
        if n <= 4096:
            found.append(gemm(n, min(1.5, 0.02 * n / 32), device="cpu", time=noisy if n == 32 else steady))
        found.append(gemm(n, min(48.0, 1e-3 * (n / 32) ** 3) * share))
        found.append(gemm(n, min(14.0, 2e-4 * (n / 32) ** 3) * share, with_copies=True))
    for n in (4096, 8192):
        found += [gemm(n, 380 * share, precision="tf32"), gemm(n, 720 * share, precision="bfloat16")]
    found += [transfer("host", 210, device="cpu"), transfer("device", 2560 * share, size=256 << 20)]
    for size in (64 << 10, 16 << 20, 256 << 20):
        for direction in ("host-to-device", "device-to-host"):
            found += [transfer(direction, 52, pinned=True, size=size), transfer(direction, 11, pinned=False, size=size)]
    for network, cpu, gpu in (("dense", 4e-5, 9e-5), ("conv", 9e-4, 2e-4), ("transformer", 2e-3, 2.5e-4)):
        for batch in (8, 64, 256, 1024):
            parts = {"compute_seconds": gpu, "input_seconds": 2e-6 * batch, "transfer_seconds": 1e-6 * batch}
            found.append(step(network, cpu * (1 + batch / 4), device="cpu", batch=batch))
            found.append(step(network, gpu * (1 + batch / 400) / share, batch=batch, **parts))
        found.append(step(network, gpu * 2 / share, batch=1024, precision="mixed-bfloat16"))
    return found


def gpu_report(share=1.0, gpus=None, samples=None, findings=()):
    """The report of a machine with an H100."""
    measured = bench(*gpu_measurements(share), samples=sampled() if samples is None else samples)
    return report_of(measured, gpus or h100(), findings)


def cpu_report(time=steady):
    """The report of a CPU alone."""
    measured = [gemm(n, min(0.15, 0.004 * n / 32), device="cpu", time=time) for n in SIZES[:7]]
    measured += [transfer("host", 26, device="cpu", size=256 << 20, time=time)]
    for network, seconds in (("dense", 2e-4), ("conv", 5e-3), ("transformer", 2e-2)):
        for batch in (8, 64, 256):
            measured.append(
                step(network, seconds * (1 + batch / 8), device="cpu", batch=batch, compute_seconds=seconds, time=time)
            )
    return report_of(bench(*measured, product=None), None)


def report_of(measured, gpus, findings=()):
    """A report, with what follows."""
    return BenchReport(
        doctor="0.1.0",
        taken_at="2026-11-21T12:00:00+00:00",
        processor="Example CPU <16 cores>",
        bench=measured,
        run=AgentRun(framework="torch", task="bench", ending="finished"),
        conclusion=conclude(measured, gpus, load_matrix()),
        findings=findings,
    )
