"""PRF014: the GPU slowed itself down during the benchmark: too hot, or short of power."""

from gpudoctor.rules._benchmarks import FAULTS, busy_samples, fault_reasons, measured_gpus
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("PRF014", name="bench-held-down", severity="warning", when="live.bench")
def bench_held_down(live: Live, gpus: Gpus | Gap | None) -> Iterator[Problem]:
    """The GPU slowed itself down during the benchmark: too hot, or short of power.

    What it means:
    A GPU that gets too hot, or whose power supply reports trouble, lowers its clocks. In a run of half a minute that
    is seldom; in a training of hours it will be worse.

    Why it breaks:
    Dust, a fan that does not turn, cards too close together, a hot room; a power cable or supply that is too weak.

    How to fix it:
    Clean and ventilate; check that all power cables are in; watch it with nvidia-smi -q -d PERFORMANCE while it works.

    When to ignore it:
    In a thin laptop, which is built to do this. Being at the power limit alone is not reported: a GPU at work is.

    Sources:
    NVML API reference, nvmlClocksEventReasons, https://docs.nvidia.com/deploy/nvml-api/
    """
    bench = live.bench
    for _, gpu in measured_gpus(bench, gpus):
        reasons = fault_reasons(bench, gpu) if bench else {}
        if bench is None or gpu is None or not reasons:
            continue
        name, share = max(reasons.items(), key=lambda item: item[1])
        hottest = max((one.temperature_c or 0 for one in busy_samples(bench, gpu)), default=0)
        yield problem(
            f"For {share:.0%} of the time under load the GPU held its clocks down: {FAULTS[name]}.",
            *(seen(reason, f"{part:.0%} of the samples under load") for reason, part in reasons.items()),
            *((seen("highest temperature", f"{hottest} C"),) if hottest else ()),
            subject=gpu.label,
            fix=by_hand(
                "See to its cooling and power",
                "Clean and ventilate the card, and check that all its power cables are in.",
            ),
        )
