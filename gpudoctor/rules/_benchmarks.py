"""Shared by the benchmark rules: which rates are too low, and what may have held the GPU back.

Most looks measure nothing: what compares rates is imported where there are some.
"""

from typing import TYPE_CHECKING, NamedTuple

from gpudoctor.facts.bench import TOO_LOW, Bench, BenchDevice, Sample
from gpudoctor.facts.finding import Confidence
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Gap, Gpu, Gpus, Matrix
from gpudoctor.rules.terms import Evidence, Iterator, Problem, by_hand, problem, seen

if TYPE_CHECKING:
    from gpudoctor.facts.bench_report import Achieved
    from gpudoctor.knowledge.matrix.efficiency import Link

#: Reasons that hold clocks down and are no healthy state under load. SwPowerCap is: a GPU at full load is at its limit.
FAULTS = {
    "HwThermalSlowdown": "it is too hot",
    "SwThermalSlowdown": "it is too hot",
    "HwSlowdown": "it slowed itself down",
    "HwPowerBrakeSlowdown": "its power supply told it to slow down",
}
#: Samples in which the GPU works, and the share of them that makes a pattern.
BUSY, OFTEN = 50, 0.2
#: Below this share of the highest clock, under load, something holds it down.
LOW_CLOCK = 0.8


class Cause(NamedTuple):
    """What may have held a GPU back: in words, what shows it, what to do."""

    text: str
    evidence: Evidence
    advice: str


def measured_gpus(bench: Bench | None, gpus: Gpus | Gap | None) -> Iterator[tuple[BenchDevice, Gpu | None]]:
    """Each measured GPU, and what NVML knows of it."""
    if bench is None or not bench.gpus:
        return
    from gpudoctor.knowledge.matrix.efficiency import gpu_of

    for device in bench.gpus:
        yield device, gpu_of(device, known(gpus))


def link_of(bench: Bench, gpu: Gpu | None) -> "Link":
    """The best link that was seen during the run; see `gpudoctor.knowledge.matrix.efficiency`."""
    from gpudoctor.knowledge.matrix import efficiency

    return efficiency.link_of(bench, gpu)


def too_low(bench: Bench, gpus: Gpus | Gap | None, matrix: Matrix, whats: tuple[str, ...]) -> "Iterator[Achieved]":
    """Rates below 0.75 of what healthy GPUs of the model reach; nothing noisy, nothing of too small a size."""
    from gpudoctor.knowledge.matrix.efficiency import achieved

    for one in achieved(bench, known(gpus), matrix):
        share = one.of_reference
        if one.what in whats and one.telling and not one.noisy and share is not None and share < TOO_LOW:
            yield one


def busy_samples(bench: Bench, gpu: Gpu | None) -> tuple[Sample, ...]:
    """Those in which the GPU works."""
    from gpudoctor.knowledge.matrix.efficiency import samples_of

    return tuple(one for one in samples_of(bench, gpu) if (one.utilization_percent or 0) >= BUSY)


def fault_reasons(bench: Bench, gpu: Gpu | None) -> dict[str, float]:
    """The faults that held the clocks down, with the share of the busy time in which they did."""
    busy = busy_samples(bench, gpu)
    shares = {name: sum(name in one.throttle_reasons for one in busy) / len(busy) for name in FAULTS} if busy else {}
    return {name: share for name, share in shares.items() if share >= OFTEN}


def others_on(gpu: Gpu | None) -> int:
    """Processes that compute on the GPU; it was looked at before the measuring began."""
    return sum(one.kind == "compute" for one in gpu.processes or ()) if gpu else 0


def causes(bench: Bench, gpu: Gpu | None) -> Iterator[Cause]:
    """What may have held a GPU back, likeliest first."""
    if gpu is None:
        return
    for name, share in fault_reasons(bench, gpu).items():
        text = f"for {share:.0%} of the time {FAULTS[name]}"
        yield Cause(text, seen(name, f"{share:.0%} of the samples under load"), "See to its cooling and power supply.")
    if count := others_on(gpu):
        evidence = seen("programs on the GPU before the measuring", count)
        yield Cause(
            f"{count} other program{'' if count == 1 else 's'} used it",
            evidence,
            "Measure again when nothing else uses the GPU.",
        )
    limit, usual = (gpu.power.limit, gpu.power.default_limit) if gpu.power else (None, None)
    if limit and usual and limit < 0.95 * usual:
        evidence = seen("power limit", f"{limit:.0f} of {usual:.0f} W")
        yield Cause("its power limit is lowered", evidence, f"Restore it: sudo nvidia-smi -pl {usual:.0f}")
    yield from _low_clock(bench, gpu)


def _low_clock(bench: Bench, gpu: Gpu) -> Iterator[Cause]:
    clocks = sorted(one.clock_sm_mhz for one in busy_samples(bench, gpu) if one.clock_sm_mhz)
    if not clocks or not gpu.clock_sm_max_mhz:
        return
    middle = clocks[len(clocks) // 2]
    if middle < LOW_CLOCK * gpu.clock_sm_max_mhz:
        evidence = seen("SM clock under load", f"{middle} of at most {gpu.clock_sm_max_mhz} MHz")
        yield Cause("its clock stayed low", evidence, "Look for locked clocks: sudo nvidia-smi -rgc frees them.")


def slow(one: "Achieved", bench: Bench, device: BenchDevice, gpu: Gpu | None, noun: str) -> Problem:
    """The problem of a rate that is too low."""
    scale, unit = (1e9, "GB/s") if one.unit == "B/s" else (1e12, "TFLOP/s")
    name = device.product or device.name
    found = tuple(causes(bench, gpu))
    because = f", probably because {found[0].text}" if found else "; the cause is unknown"
    confidence: Confidence = "likely" if found else "possible"
    advice = found[0].advice if found else "Measure again on an idle machine; compare clocks and power in the samples."
    share = one.of_reference if one.of_reference is not None else one.of_peak
    return problem(
        f"{noun} only {share or 0:.0%} as fast as on a healthy {name}{because}.",
        seen(f"measured ({one.what})", f"{one.rate / scale:,.1f} {unit}"),
        seen("healthy ones reach", f"{(one.reference or 0) / scale:,.1f} {unit} ({one.reference_of})"),
        *(cause.evidence for cause in found),
        *((seen("link under load", link_of(bench, gpu)),) if "host" in one.what else ()),
        subject=gpu.label if gpu else name,
        confidence=confidence,
        fix=by_hand("Remove what slows the GPU down", advice),
    )
