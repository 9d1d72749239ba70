"""Made-up timings and measurements."""

from gpudoctor.facts.bench import Bench, BenchDevice, Gemm, Timing, TrainingStep, Transfer


def steady(seconds, spread=0.01, drift=0.01, repeats=15):
    """A timing with that median, (p80 - p20)/median and distance between its rounds."""
    return Timing(
        median=seconds,
        p20=seconds * (1 - spread / 2),
        p80=seconds * (1 + spread / 2),
        repeats=repeats,
        rounds=(seconds, seconds * (1 + drift), seconds),
    )


def noisy(seconds):
    """A timing from which nothing follows."""
    return steady(seconds, spread=0.4, drift=0.5)


def gemm(n, teraflops, device="gpu:0", precision="float32", with_copies=False, time=steady):
    """A product at that rate, 10^12 operations a second."""
    return Gemm(
        n=n, device=device, precision=precision, with_copies=with_copies, time=time(2 * n**3 / teraflops / 1e12)
    )


def transfer(direction, gigabytes, device="gpu:0", pinned=None, size=64 << 20, time=steady):
    """A copy at that rate, 10^9 bytes a second."""
    moved = size * (3 if direction in ("host", "device") else 1)
    seconds = moved / gigabytes / 1e9
    return Transfer(direction=direction, device=device, pinned=pinned, size=size, moved=moved, time=time(seconds))


def step(network, seconds, device="gpu:0", batch=64, input_size=28, precision="float32", time=steady, **parts):
    """A training step that takes that long."""
    return TrainingStep(
        network=network,
        device=device,
        batch=batch,
        input_size=input_size,
        precision=precision,
        time=time(seconds),
        **parts,
    )


def bench(*measured, product="NVIDIA H100 80GB HBM3", samples=(), **fields):
    """A measurement of the CPU, and of a GPU of that product (None: of none)."""
    gpu = () if product is None else (BenchDevice(name="gpu:0", product=product, uuid="GPU-1"),)
    kinds = {kind: tuple(one for one in measured if isinstance(one, kind)) for kind in (Transfer, Gemm, TrainingStep)}
    return Bench(
        framework="torch",
        version="2.13.0",
        seconds_asked=30,
        seconds=29.7,
        devices=(BenchDevice(name="cpu"), *gpu),
        cpu_threads=16,
        transfers=kinds[Transfer],
        gemms=kinds[Gemm],
        steps=kinds[TrainingStep],
        samples=samples,
        **fields,
    )
