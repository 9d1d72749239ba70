"""PRF010: matrix products are slower than on a healthy GPU of the model."""

from gpudoctor.rules._bench import measured_gpus, slow, too_low
from gpudoctor.rules.sections import Gap, Gpus, Live, Matrix
from gpudoctor.rules.terms import Iterator, Problem, rule

PRECISIONS = ("bfloat16", "float16", "tf32", "float32")


@rule("PRF010", name="bench-products-slow", severity="warning", when="live.bench")
def bench_products_slow(live: Live, gpus: Gpus | Gap | None, matrix: Matrix) -> Iterator[Problem]:
    """Large matrix products ran at less than three quarters of the speed of a healthy GPU of this model."""
    bench = live.bench
    for device, gpu in measured_gpus(bench, gpus):
        found = [one for one in too_low(bench, gpus, matrix, PRECISIONS) if one.device == device.name] if bench else []
        # One cause makes all precisions slow: the one that is furthest behind speaks.
        worst = min(found, key=lambda one: one.of_reference or 1.0, default=None)
        if bench and worst is not None:
            yield slow(worst, bench, device, gpu, f"Matrix products in {worst.what} are")
