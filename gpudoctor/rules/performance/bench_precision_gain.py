"""PRF017: the benchmark shows that training in another precision would be much faster on this GPU."""

from gpudoctor.facts.bench import Bench
from gpudoctor.rules._benchmarks import measured_gpus
from gpudoctor.rules.sections import Gap, Gpus, Live
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: A smaller gain is not worth the care that fewer digits need.
GAIN = 1.5
ASK = {
    ("torch", "tf32"): 'torch.set_float32_matmul_precision("high") lets PyTorch round 32-bit products to TF32.',
    ("torch", "mixed"): 'Wrap the forward pass in torch.autocast("cuda", dtype=torch.bfloat16).',
    ("tensorflow", "mixed"): 'Use keras.mixed_precision.set_global_policy("mixed_bfloat16").',
}


@rule("PRF017", name="bench-precision-gain", severity="info", when="live.bench")
def bench_precision_gain(live: Live, gpus: Gpus | Gap | None) -> Iterator[Problem]:
    """The benchmark shows that training in another precision would be much faster on this GPU.

    What it means:
    GPUs since Volta have units for products of 16-bit numbers, and since Ampere for TF32. Frameworks use the former
    only when they are asked to (mixed precision), and PyTorch asks to be asked for the latter too.

    Why it breaks:
    It does not break: training in 32 bits is exact, and slower.

    How to fix it:
    PyTorch: torch.autocast, or torch.set_float32_matmul_precision("high"). Keras:
    keras.mixed_precision.set_global_policy("mixed_bfloat16"). Check that the model still learns.

    When to ignore it:
    When digits count: TF32 keeps about three of them in products, bfloat16 two.

    Sources:
    https://pytorch.org/docs/stable/amp.html; https://www.tensorflow.org/guide/mixed_precision; the gain is this
    machine's own measurement.
    """
    bench = live.bench
    for device, gpu in measured_gpus(bench, gpus):
        gains = _gains(bench, device.name) if bench else {}
        for kind, (gain, evidence) in gains.items():
            ask = ASK.get((bench.framework, kind)) if bench else None
            if ask is not None and gain >= GAIN:
                words = "products of 32-bit matrices in TF32" if kind == "tf32" else "training in mixed precision"
                yield problem(
                    f"On this GPU {words} would be {gain:.1f} times as fast.",
                    seen("measured", evidence),
                    subject=gpu.label if gpu else device.product or device.name,
                    fix=by_hand("Allow fewer digits", ask),
                )


def _gains(bench: Bench, device: str) -> dict[str, tuple[float, str]]:
    """By kind: the gain, and what it was measured on."""
    gains = {}
    rounded, exact = bench.best_gemm(device, "tf32"), bench.best_gemm(device, "float32")
    if rounded and exact and not rounded.time.noisy and not exact.time.noisy:
        text = f"{rounded.rate / 1e12:,.1f} TFLOP/s in TF32, {exact.rate / 1e12:,.1f} in float32"
        gains["tf32"] = rounded.rate / exact.rate, text
    steady = [one for one in bench.steps if one.device == device and not one.time.noisy]
    plain = {(one.network, one.batch, one.input_size): one for one in steady if one.precision == "float32"}
    for one in steady:
        same = plain.get((one.network, one.batch, one.input_size))
        if one.precision != "float32" and same is not None:
            gain = same.time.median / one.time.median
            text = f"{one.network}, batch {one.batch}: {one.precision} against float32"
            gains["mixed"] = max(gains.get("mixed", (0.0, "")), (gain, text))
    return gains
