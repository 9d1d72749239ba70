"""PRF018: loading data and copying it to the GPU takes longer than training on it."""

from gpudoctor.rules._benchmarks import measured_gpus
from gpudoctor.rules._slowness import complaint
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: Where choosing and copying the examples takes longer than this many times the step itself, the GPU mostly waits.
TIMES = 2.0
ASK = (
    "Let other processes prepare the batches (DataLoader(num_workers=4, pin_memory=True); tf.data with prefetch), keep "
    "data that fit on the GPU, and copy small numbers: bytes, not floats."
)
FIX = by_hand("Feed the GPU faster", ASK)
COMPLAINTS = ("gpu-waits-for-data",)


@rule(
    "PRF018", name="perf-input-bound", severity="info", when="live.bench or live.symptoms.signature=gpu-waits-for-data"
)
def perf_input_bound(live: Live, gpus: Gpus | Gap | None) -> Iterator[Problem]:
    """Loading data and copying it to the GPU takes longer than training on it.

    What it means:
    `gpudoctor bench` timed the parts of a training step, or somebody says that reading the data takes the time. The
    GPU is done long before the next batch is there, so a quicker GPU would not train quicker.

    Why it breaks:
    It does not break. One thread of the CPU gathers the batch, and PCIe carries it, while the GPU waits.

    How to fix it:
    Prepare batches in other processes and ahead of time, copy from pinned memory, keep on the GPU what fits there.

    When to ignore it:
    For networks far larger than those that were timed: their steps take longer, and the data do not.

    Sources:
    PyTorch, performance tuning guide, https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html; TensorFlow,
    better performance with the tf.data API, https://www.tensorflow.org/guide/data_performance
    """
    bench = live.bench
    told = complaint(live, gpus, COMPLAINTS)
    if bench is None and told is not None:
        yield problem(
            "The GPU is probably waiting for data: they are loaded and prepared more slowly than it trains.",
            seen("it is said", told.text),
            confidence="possible",
            fix=FIX,
        )
    for device, gpu in measured_gpus(bench, gpus):
        steps = [one for one in bench.steps if one.device == device.name and not one.time.noisy] if bench else []
        waits = []
        for one in steps:
            feeding = (one.input_seconds or 0.0) + (one.transfer_seconds or 0.0)
            if one.network != "dense" and one.compute_seconds and feeding > TIMES * one.compute_seconds:
                waits.append((feeding / one.compute_seconds, one))
        if waits:
            times, worst = max(waits, key=lambda item: item[0])
            yield problem(
                f"Loading and copying a batch takes {times:.1f} times as long as training on it.",
                seen("step", f"{worst.network}, batch {worst.batch}, input {worst.input_size}"),
                seen("training alone", f"{(worst.compute_seconds or 0) * 1e3:.2f} ms"),
                seen("choosing examples", f"{(worst.input_seconds or 0) * 1e3:.2f} ms"),
                seen("copying them", f"{(worst.transfer_seconds or 0) * 1e3:.2f} ms"),
                subject=gpu.label if gpu else device.product or device.name,
                confidence="likely",
                fix=FIX,
            )
