"""Estimates how long one training step takes on a device, from its peak rates and the share of them reached."""

from functools import lru_cache
from statistics import median, quantiles
from typing import NamedTuple

from gpudoctor.advise.jobs import networks, preset
from gpudoctor.facts.advice import Interval, Job, Precision
from gpudoctor.knowledge.matrix.gpu_types import GpuPeaks
from gpudoctor.knowledge.matrix.peaks import peaks
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.training_types import Throughput

#: Forward passes that a step costs: the backward pass is two more; LoRA leaves out the gradients of the weights.
PASSES = {"train": 3.0, "lora": 2.0, "run": 1.0}
#: How often an element that a layer puts out is read or written in a training step: normalisation and activation
#: functions pass over it several times in convolutional networks, attention and fused operations less often.
_TOUCHES = {"conv": 20.0, "dense": 20.0, "transformer": 4.0, "recurrent": 4.0}
#: Published shares are of these kinds; the others are taken for the nearest.
_LIKE = {"dense": "transformer", "recurrent": "transformer"}
#: Where fewer rates were published than this, all precisions of a kind are looked at together.
_ENOUGH = 4
#: The range is this much wider than what was published: other batches, other input pipelines, other releases.
_WIDER = 1.2


class Step(NamedTuple):
    """Seconds that one sample costs at the device's peaks."""

    arithmetic: float
    memory: float


class Share(NamedTuple):
    """The share of its peaks that training reaches, as published; a share above 1 is a quicker algorithm."""

    low: float
    middle: float
    high: float


def at_peak(job: Job, flops: float, bandwidth: float, width: int) -> Step:
    """One sample; `flops` and `bandwidth` a second, `width` bytes of an element.

    A model that only runs reads all its weights for each batch.
    """
    passes = PASSES[job.task]
    arithmetic = passes * job.flops / flops
    moved = job.stored * _TOUCHES[job.kind] * passes / 3 * width
    if job.task == "run":
        moved += job.parameters * width / job.batch
    return Step(arithmetic, moved / bandwidth)


def gpu_rates(row: GpuPeaks, precision: Precision) -> tuple[str, float, float, int] | None:
    """The class of arithmetic (mixed, tf32, fp32), its peak, the bandwidth, the bytes of an element; None: unknown."""
    if row.memory_bandwidth_gbs is None:
        return None
    bandwidth = row.memory_bandwidth_gbs * 1e9
    if precision == "mixed":
        return ("mixed", row.fp16_tensor_tflops * 1e12, bandwidth, 2) if row.fp16_tensor_tflops else None
    if row.tf32_tensor_tflops:
        return "tf32", row.tf32_tensor_tflops * 1e12, bandwidth, 4
    return ("fp32", row.fp32_tflops * 1e12, bandwidth, 4) if row.fp32_tflops else None


@lru_cache(maxsize=4)
def shares(matrix: Matrix) -> dict[tuple[str, str], tuple[float, ...]]:
    """What every published rate is of what its GPU's peaks allow, by kind of network and class of arithmetic."""
    known = {one.name: preset(one) for one in networks(matrix)}
    found: dict[tuple[str, str], list[float]] = {}
    rows: tuple[Throughput, ...] = matrix.table("throughput")
    for row in rows:
        share = share_of(row, known[row.network], matrix)
        if share is not None:
            found.setdefault((known[row.network].kind, share[0]), []).append(share[1])
    return {key: tuple(sorted(ones)) for key, ones in found.items()}


def share_of(row: Throughput, job: Job, matrix: Matrix) -> tuple[str, float] | None:
    """The class of arithmetic of a published rate, and its share; None where the GPU's peaks are not known."""
    there = peaks(matrix, row.gpu)
    rates = gpu_rates(there, row.precision) if there else None
    if rates is None:
        return None
    step = at_peak(job, *rates[1:])
    return rates[0], (step.arithmetic + step.memory) * row.samples_per_second


def share(known: dict[tuple[str, str], tuple[float, ...]], kind: str, arithmetic: str) -> Share:
    """What a healthy GPU is taken to reach: the median of what was published, from its tenth to its last tenth."""
    kind = _LIKE.get(kind, kind)
    ones = known.get((kind, arithmetic), ())
    if len(ones) < _ENOUGH:
        ones = tuple(sorted(one for (of, _), all_ones in known.items() if of == kind for one in all_ones))
    tenths = quantiles(ones, n=10, method="inclusive")
    return Share(tenths[0] / _WIDER, median(ones), tenths[-1] * _WIDER)


def rate(step: Step, reached: Share) -> Interval:
    """Samples a second."""
    seconds = step.arithmetic + step.memory
    return Interval(low=reached.low / seconds, middle=reached.middle / seconds, high=reached.high / seconds)
