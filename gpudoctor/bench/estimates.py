"""Estimated speed-ups over this CPU by GPUs that are not here, from peak rates; nothing is measured."""

from gpudoctor.facts.bench import CPU, Bench
from gpudoctor.facts.bench_report import Estimate
from gpudoctor.knowledge.matrix.peaks import peaks
from gpudoctor.knowledge.matrix.query import Matrix

#: The share of its peaks that a healthy GPU is taken to reach: published measurements of products and of memory lie
#: between 0.5 and 0.95, most of them near this (compat/gpu_reference.json, over compat/gpu_peaks.json).
EFFICIENCY = 0.75
#: Bytes a second over a PCIe 4.0 link of 16 lanes, in practice (nvbandwidth's own sample).
LINK = 25e9
#: From a small card to a large one.
PRODUCTS = (
    "Tesla T4",
    "NVIDIA GeForce RTX 3060",
    "NVIDIA L4",
    "NVIDIA GeForce RTX 4090",
    "NVIDIA A100-SXM4-80GB",
    "NVIDIA H100 80GB HBM3",
)


def estimates(bench: Bench, matrix: Matrix) -> tuple[Estimate, ...]:
    """One for each of a few products, where this CPU was measured well enough; none where a GPU was measured."""
    product, memory = bench.best_gemm(CPU, "float32"), bench.best_transfer("host", CPU)
    if bench.gpus or (product is None and memory is None):
        return ()
    flops = product.rate if product and not product.time.noisy else None
    bandwidth = memory.rate if memory and not memory.time.noisy else None
    found = (_estimate(name, flops, bandwidth, matrix) for name in PRODUCTS)
    return tuple(one for one in found if one.compute is not None or one.memory is not None)


def _estimate(name: str, flops: float | None, bandwidth: float | None, matrix: Matrix) -> Estimate:
    row = peaks(matrix, name)
    compute = row.fp32_tflops * 1e12 * EFFICIENCY / flops if row and row.fp32_tflops and flops else None
    memory = (
        row.memory_bandwidth_gbs * 1e9 * EFFICIENCY / bandwidth
        if row and row.memory_bandwidth_gbs and bandwidth
        else None
    )
    return Estimate(
        product=name,
        compute=compute,
        memory=memory,
        crossover=crossover_with_copies(flops) if flops and compute and compute > 1 else None,
        source=row.source if row else "",
    )


def crossover_with_copies(flops: float, link: float = LINK) -> int:
    """The size from which a product with copies would pay: 12 n^2 bytes take longer than 2 n^3 operations below it.

    n = 6 x operations a second of the CPU / bytes a second of the link; what it takes to start a copy is left out.
    """
    return round(6 * flops / link)
