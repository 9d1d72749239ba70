"""PRF013: under load, the GPU's PCIe link has fewer lanes, or an older generation, than GPU and slot support."""

from gpudoctor.rules._benchmarks import busy_samples, link_of, measured_gpus
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("PRF013", name="bench-link-narrow", severity="warning", when="live.bench")
def bench_link_narrow(live: Live, gpus: Gpus | Gap | None) -> Iterator[Problem]:
    """Under load, the GPU's PCIe link has fewer lanes, or an older generation, than GPU and slot support.

    What it means:
    A link rests in a slow generation, which is no fault. While `gpudoctor bench` copied, it should have risen to the
    most that the GPU and its slot can do together, and it did not: a link of 4 lanes carries a quarter of one of 16.

    Why it breaks:
    A card that is not fully seated, a riser cable, dust, lanes that the mainboard shares with another slot, or a
    setting of the firmware.

    How to fix it:
    Switch off, seat the card again, try without the riser, look into the mainboard's manual which slots share lanes,
    and set the slot to Auto in the firmware.

    When to ignore it:
    When your data are small, or lie on the GPU all the time: the GPU itself is not slower.

    Sources:
    NVML API reference, nvmlDeviceGetCurrPcieLinkWidth and nvmlDeviceGetMaxPcieLinkGeneration,
    https://docs.nvidia.com/deploy/nvml-api/
    """
    bench = live.bench
    for _, gpu in measured_gpus(bench, gpus):
        if bench is None or gpu is None or gpu.pcie is None or not busy_samples(bench, gpu):
            continue
        link = link_of(bench, gpu)
        most = gpu.pcie
        narrow = bool(link.width and most.width_max and link.width < most.width_max)
        old = bool(link.generation and most.generation_max and link.generation < most.generation_max)
        if narrow or old:
            yield problem(
                f"Under load the GPU's link is {link}, although {most.generation_max or '?'}.0 "
                f"x{most.width_max or '?'} is possible.",
                seen("best link while it was measured", link),
                seen("GPU and slot together", f"PCIe {most.generation_max or '?'}.0 x{most.width_max or '?'}"),
                subject=gpu.label,
                confidence="likely",
                fix=by_hand(
                    "Seat the card again", "Seat the card again, without a riser, and look which slots share lanes."
                ),
            )
