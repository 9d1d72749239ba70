"""PRF016: training is no faster on the GPU than on the CPU, even for networks that suit a GPU."""

from gpudoctor.facts.bench import CPU, Bench
from gpudoctor.rules._benchmarks import measured_gpus
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: A toy alone says nothing: steps of these networks keep a GPU busy at large batches.
TELLING = ("conv", "transformer")
LEAST_BATCH = 64


@rule("PRF016", name="bench-no-gain", severity="warning", when="live.bench")
def bench_no_gain(live: Live, gpus: Gpus | Gap | None) -> Iterator[Problem]:
    """Training is no faster on the GPU than on the CPU, even for networks that suit a GPU.

    What it means:
    `gpudoctor bench` trained convolutional networks and a transformer block in large batches on both, and the CPU was
    as quick or quicker every time.

    Why it breaks:
    A small or old GPU beside a large CPU; a GPU that is held down or shared; a slice of one.

    How to fix it:
    If another finding says what holds the GPU back, fix that first. If none does, train on the CPU, or in larger
    batches, or in mixed precision.

    When to ignore it:
    When the GPU serves to keep the CPU free for other work.

    Sources:
    Only this machine's own measurement.
    """
    bench = live.bench
    for device, gpu in measured_gpus(bench, gpus):
        ratios = _ratios(bench, device.name) if bench else {}
        if len(ratios) >= 2 and max(ratios.values()) <= 1.0:
            best, ratio = max(ratios.items(), key=lambda item: item[1])
            yield problem(
                f"Training gains nothing from {device.product or device.name}: at best it is {ratio:.1f} times "
                "as fast as the CPU.",
                seen("best of the large networks", f"{best}, {ratio:.2f} times as fast"),
                seen("compared", f"{len(ratios)} steps that are not noisy"),
                subject=gpu.label if gpu else device.product or device.name,
                fix=by_hand("Train where it is faster", "Train on the CPU, or find out what slows the GPU down."),
            )


def _ratios(bench: Bench, device: str) -> dict[str, float]:
    """How many times as quick the GPU is, by step, where both timings are steady."""
    telling = [one for one in bench.steps if one.network in TELLING and one.batch >= LEAST_BATCH and not one.time.noisy]
    on_cpu = {(one.network, one.batch, one.input_size): one.time.median for one in telling if one.device == CPU}
    ratios = {}
    for one in telling:
        cpu = on_cpu.get((one.network, one.batch, one.input_size))
        if one.device == device and cpu and one.time.median:
            name = f"{one.network} batch {one.batch} input {one.input_size} {one.precision}"
            ratios[name] = cpu / one.time.median
    return ratios
