"""PRF011: the GPU's memory is slower than on a healthy GPU of the model."""

from gpudoctor.rules._bench import measured_gpus, slow, too_low
from gpudoctor.rules.sections import Gap, Gpus, Live, Matrix
from gpudoctor.rules.terms import Iterator, Problem, rule


@rule("PRF011", name="bench-memory-slow", severity="warning", when="live.bench")
def bench_memory_slow(live: Live, gpus: Gpus | Gap | None, matrix: Matrix) -> Iterator[Problem]:
    """The GPU's memory bandwidth is less than three quarters of a healthy GPU's of this model."""
    bench = live.bench
    for device, gpu in measured_gpus(bench, gpus):
        for one in too_low(bench, gpus, matrix, ("memory",)) if bench else ():
            if bench and one.device == device.name:
                yield slow(one, bench, device, gpu, "The GPU's memory is")
