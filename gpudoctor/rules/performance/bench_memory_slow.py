"""PRF011: the GPU's memory bandwidth is less than three quarters of a healthy GPU's of this model."""

from gpudoctor.rules._benchmarks import measured_gpus, slow, too_low
from gpudoctor.rules.sections import Gap, Gpus, Live, Matrix
from gpudoctor.rules.terms import Iterator, Problem, rule


@rule("PRF011", name="bench-memory-slow", severity="warning", when="live.bench")
def bench_memory_slow(live: Live, gpus: Gpus | Gap | None, matrix: Matrix) -> Iterator[Problem]:
    """The GPU's memory bandwidth is less than three quarters of a healthy GPU's of this model.

    What it means:
    Much of training waits for the GPU's memory. `gpudoctor bench` timed sums of large arrays within it, and fewer
    bytes a second were moved than on other GPUs of the same model.

    Why it breaks:
    Another program that uses the GPU, a memory clock that is held down, or memory that corrects many errors.

    How to fix it:
    Measure again when nothing else uses the GPU. If it stays slow, compare the memory clock with its maximum
    (nvidia-smi -q -d CLOCK) and look for memory errors (nvidia-smi -q -d ECC).

    When to ignore it:
    When you know that something else was running.

    Sources:
    NVIDIA DCGM, nvvs/diag-skus.yaml.in, accepts no less than 0.75 of what it measured; the rates by model are in
    compat/gpu_reference.json, each with its source.
    """
    bench = live.bench
    for device, gpu in measured_gpus(bench, gpus):
        for one in too_low(bench, gpus, matrix, ("memory",)) if bench else ():
            if bench and one.device == device.name:
                yield slow(one, bench, device, gpu, "The GPU's memory is")
