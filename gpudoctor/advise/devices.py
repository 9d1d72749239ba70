"""A training job on this CPU and on each GPU of a list: time, memory, and the builds that support the GPU."""

from typing import Any, Literal, NamedTuple

import msgspec

from gpudoctor.advise import memory
from gpudoctor.advise.roofline import PASSES, Share, at_peak, gpu_rates, rate, share, shares
from gpudoctor.facts.advice import Estimate, Interval, Job, Precision
from gpudoctor.facts.bench import CPU, Bench
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.gpu_types import GpuPeaks
from gpudoctor.knowledge.matrix.peaks import peaks
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.training_types import Throughput
from gpudoctor.plan.fit import ranked
from gpudoctor.plan.machine import Machine

#: From a card of 2013 to those of today.
REFERENCE = (
    "Tesla K40m", "NVIDIA GeForce GTX 1080 Ti", "Tesla V100-SXM2-16GB", "Tesla T4", "NVIDIA GeForce RTX 3060",
    "NVIDIA GeForce RTX 3090", "NVIDIA A100-SXM4-80GB", "NVIDIA L4", "NVIDIA GeForce RTX 4060 Ti",
    "NVIDIA GeForce RTX 4090", "NVIDIA H100 80GB HBM3", "NVIDIA GeForce RTX 5090",
)  # fmt: skip
#: Seconds that a framework takes to start one operation, its part of the optimizer included; small networks wait for it
#: A training step of 784-128-10 (18 operations) took PyTorch 2.13 0.75 ms on a CPU of two cores, arithmetic included.
#: A GPU is taken to be the same, to a factor of two.
STARTING = 25e-6
#: Bytes a second to a GPU, of PCIe 3.0 with 16 lanes in practice.
_LINK = 12e9
#: The published rate of the same network on the same GPU varies by so much between suites (compat/throughput.json).
_PUBLISHED = 1.35
#: Operations a clock and core, one multiply-add unit; many processors have two.
_A_CLOCK = (("avx512f", 32), ("avx2", 16), ("avx", 8))
_PLAIN = 4
_CLOCK = 2.5e9
#: Bytes a second that one core draws from memory, up to what a socket has.
_A_CORE, _SOCKET = 8e9, 100e9
#: Of the memory's peak, where a model only reads its weights (compat/gpu_reference.json over compat/gpu_peaks.json).
_READING = Share(0.5, 0.75, 0.95)
#: Of a processor's peak by its name, and of a rate that was measured here.
_GUESSED, _MEASURED = Share(0.2, 0.6, 1.8), Share(0.2, 0.45, 0.9)

Bound = Literal["arithmetic", "memory", "starting operations", "copies"]


class Rates(NamedTuple):
    """Operations and bytes a second of a processor, and whether they were measured."""

    flops: float
    bandwidth: float
    measured: bool


def processor_rates(system: System | None, bench: Bench | None) -> Rates | None:
    """What was measured here, else what cores and instruction sets allow; None: nothing is known."""
    product = bench.best_gemm(CPU, "float32") if bench else None
    copy = bench.best_transfer("host", CPU) if bench else None
    if product is not None:
        return Rates(product.rate, copy.rate if copy else _A_CORE, measured=True)
    cpu = system.cpu if system else None
    if cpu is None or not cpu.cores:
        return None
    a_clock = next((number for flag, number in _A_CLOCK if flag in (cpu.flags or ())), _PLAIN)
    return Rates(cpu.cores * _CLOCK * a_clock, min(cpu.cores * _A_CORE, _SOCKET), measured=False)


def on_processor(job: Job, system: System | None, bench: Bench | None, *, here: bool) -> Estimate:
    """The job on the CPU of the machine, in float32."""
    cpu = system.cpu if system else None
    name = f"{cpu.model or 'CPU'}, {cpu.cores} cores" if cpu and cpu.cores else "CPU"
    there = float(system.memory_total) if system and system.memory_total else None
    rates = processor_rates(system, bench)
    need = memory.needed(job, "float32", gpu=False)
    if rates is None:
        return Estimate(
            device=name, kind="cpu", here=here, missing="cores are not known", memory_needed=need, memory_there=there
        )
    step = at_peak(job, rates.flops, rates.bandwidth, 4)
    reached = rate(step, _MEASURED if rates.measured else _GUESSED)
    bound, slowed = _waits(job, reached, STARTING, 0.0, step.memory > step.arithmetic)
    return Estimate(
        device=name, kind="cpu", here=here, precision="float32", rate=slowed, bound=bound, memory_needed=need,
        memory_there=there, basis="measured" if rates.measured else "derived",
    )  # fmt: skip


def on_gpu(job: Job, name: str, matrix: Matrix, *, here: bool = False, there: float | None = None) -> Estimate:
    """The job on a GPU by its name; `there` is its memory in bytes, if it is known better than by the name."""
    row = peaks(matrix, name)
    known = there or (row.memory_gb * 2**30 if row and row.memory_gb else None)
    precision = _precision(job, row)
    builds, note = _served(name, matrix)
    need = memory.needed(job, precision)
    found = Estimate(
        device=name, here=here, precision=precision, memory_needed=need, memory_there=known, builds=builds, note=note,
        largest_batch=memory.largest_batch(job, precision, known) if known and job.task != "run" else None,
    )  # fmt: skip
    rates = gpu_rates(row, precision) if row else None
    if row is None or rates is None:
        return _with(found, missing="its peak rates are not in the table")
    step = at_peak(job, *rates[1:])
    published = _published(job, row, precision, matrix)
    usual = _READING if job.task == "run" else share(shares(matrix), job.kind, rates[0])
    reached = published or rate(step, usual)
    copies = job.sample_bytes / _LINK
    bound, slowed = _waits(job, reached, STARTING, copies, step.memory > step.arithmetic)
    return _with(found, rate=slowed, bound=bound, basis="published" if published else "derived")


def _with(found: Estimate, **changes: Any) -> Estimate:
    return msgspec.structs.replace(found, **changes)


def _precision(job: Job, row: GpuPeaks | None) -> Precision:
    if job.precision is not None:
        return job.precision if job.precision == "float32" or (row and row.fp16_tensor_tflops) else "float32"
    return "mixed" if row and row.fp16_tensor_tflops else "float32"


def _published(job: Job, row: GpuPeaks, precision: Precision, matrix: Matrix) -> Interval | None:
    """What was published for this network on this GPU."""
    if job.network is None or job.task != "train":
        return None
    rows: tuple[Throughput, ...] = matrix.table("throughput")
    found = [
        one.samples_per_second for one in rows
        if one.network == job.network and one.gpu == row.name and one.precision == precision
    ]  # fmt: skip
    if not found:
        return None
    middle = sum(found) / len(found)
    return Interval(low=min(found) / _PUBLISHED, middle=middle, high=max(found) * _PUBLISHED)


def _waits(job: Job, reached: Interval, starting: float, copies: float, memory_first: bool) -> tuple[Bound, Interval]:
    """What the step waits for, and the rate with that: starting its operations and copying go on beside computing."""
    passes = PASSES[job.task]
    start = job.operations * passes * starting / job.batch
    computing = 1 / reached.middle
    if start > max(computing, copies):
        return "starting operations", _at_most(reached, 1 / start)
    if copies > computing:
        return "copies", _at_most(reached, 1 / copies)
    return "memory" if memory_first else "arithmetic", _at_most(reached, 1 / max(start, copies, 1e-12))


def _at_most(reached: Interval, limit: float) -> Interval:
    """A rate that a limit cuts off; the limit itself is known to a factor of two."""
    return Interval(
        low=min(reached.low, limit / 2), middle=min(reached.middle, limit), high=min(reached.high, limit * 2)
    )


def _served(name: str, matrix: Matrix) -> tuple[tuple[str, ...], str]:
    """The newest builds for a GPU, and what is to be said of an old one; nothing where the GPU is not known."""
    models = matrix.models_by_name(name)
    capability = next((one.capability for one in models if one.capability), None)
    if capability is None:
        return (), ""
    machine = Machine(capabilities=(capability,), gpu_names=(name,), platform="linux-x86_64")
    builds = []
    for framework in ("torch", "tensorflow"):
        fitting = [one for one in ranked(framework, machine, matrix) if one.processor == "cuda"]
        builds += [fitting[0].label] if fitting else [f"no {framework}"]
    return tuple(builds), _old(capability, matrix)


def _old(capability: Capability, matrix: Matrix) -> str:
    last = matrix.last_driver_branch(capability)
    if last is None:
        return ""
    architecture = matrix.architecture(capability)
    return f"{architecture.name if architecture else 'old'}, {capability}: driver branch {last} is its last"
