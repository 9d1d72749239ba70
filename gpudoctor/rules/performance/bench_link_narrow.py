"""PRF013: the PCIe link stayed below what GPU and slot can do, under load."""

from gpudoctor.rules._bench import busy_samples, link_of, measured_gpus
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("PRF013", name="bench-link-narrow", severity="warning", when="live.bench")
def bench_link_narrow(live: Live, gpus: Gpus | Gap | None) -> Iterator[Problem]:
    """Under load, the GPU's PCIe link has fewer lanes, or an older generation, than GPU and slot support."""
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
