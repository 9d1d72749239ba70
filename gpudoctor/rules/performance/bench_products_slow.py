"""PRF010: large matrix products ran at less than three quarters of the speed of a healthy GPU of this model."""

from gpudoctor.rules._benchmarks import measured_gpus, slow, too_low
from gpudoctor.rules.sections import Gap, Gpus, Live, Matrix
from gpudoctor.rules.terms import Iterator, Problem, rule

PRECISIONS = ("bfloat16", "float16", "tf32", "float32")


@rule("PRF010", name="bench-products-slow", severity="warning", when="live.bench")
def bench_products_slow(live: Live, gpus: Gpus | Gap | None, matrix: Matrix) -> Iterator[Problem]:
    """Large matrix products ran at less than three quarters of the speed of a healthy GPU of this model.

    What it means:
    Nearly all the time of training goes into products of matrices. `gpudoctor bench` timed large ones, again and
    again, and they were much slower than on other GPUs of the same model.

    Why it breaks:
    Heat, a lowered power limit, locked clocks or another program on the GPU slow it down without any error.

    How to fix it:
    Look at clocks, temperature and power in the plot of `gpudoctor bench --html FILE`: what is at its limit while the
    clock falls is the cause. Measure again on an idle, cool machine.

    When to ignore it:
    When the GPU is meant to be quiet or frugal: a power limit that somebody set on purpose.

    Sources:
    NVIDIA DCGM, nvvs/diag-skus.yaml.in, sets its own limits at 0.75 of what it measured; the rates by model are in
    compat/gpu_reference.json, each with its source.
    """
    bench = live.bench
    for device, gpu in measured_gpus(bench, gpus):
        found = [one for one in too_low(bench, gpus, matrix, PRECISIONS) if one.device == device.name] if bench else []
        # One cause makes all precisions slow: the one that is furthest behind speaks.
        worst = min(found, key=lambda one: one.of_reference or 1.0, default=None)
        if bench and worst is not None:
            yield slow(worst, bench, device, gpu, f"Matrix products in {worst.what} are")
