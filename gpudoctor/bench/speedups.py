"""How many times faster a GPU was measured to be than the CPU, and from which matrix size on."""

from collections.abc import Iterator

from gpudoctor.bench.crossovers import crossing
from gpudoctor.facts.bench import CPU, Bench, Timing, TrainingStep
from gpudoctor.facts.bench_report import Crossover, Speedup

#: A GPU that is not this much quicker is not worth the trouble.
WORTH_IT = 1.2
#: Fewer repeats say nothing of how far a timing spreads.
_LEAST = 3


def speedups(bench: Bench) -> tuple[Speedup, ...]:
    """Of every step that was timed on both; mixed precision on the GPU is held against 32 bits on the CPU."""
    on_cpu = {_what(one): one.time for one in bench.steps if one.device == CPU}
    pairs = [(one, on_cpu.get(_what(one))) for one in bench.steps if one.device != CPU]
    return tuple(_speedup(step, cpu) for step, cpu in pairs if cpu is not None and step.time.median > 0)


def crossovers(bench: Bench) -> tuple[Crossover, ...]:
    """From which size of matrix on each GPU wins: with operands there, and with copies each time."""
    return tuple(_crossovers(bench))


def _what(step: TrainingStep) -> tuple[str, int, int]:
    return step.network, step.batch, step.input_size


def _speedup(step: TrainingStep, cpu: Timing) -> Speedup:
    gpu = step.time
    return Speedup(
        network=step.network,
        device=step.device,
        batch=step.batch,
        input_size=step.input_size,
        precision=step.precision,
        ratio=cpu.median / gpu.median,
        low=cpu.low / gpu.high,
        high=cpu.high / gpu.low,
        noisy=_unsettled(cpu, gpu),
    )


def _unsettled(cpu: Timing, gpu: Timing) -> bool:
    """Whether the ranges leave it open that the GPU is worth it; quiet timings settle it by their medians."""
    if min(cpu.repeats, gpu.repeats) < _LEAST:
        return True
    return (cpu.noisy or gpu.noisy) and cpu.low / gpu.high < WORTH_IT < cpu.high / gpu.low


def _crossovers(bench: Bench) -> Iterator[Crossover]:
    on_cpu = _products(bench, CPU, with_copies=False)
    for device in bench.gpus:
        for with_copies in (False, True):
            found = crossing(on_cpu, _products(bench, device.name, with_copies=with_copies))
            yield Crossover(
                device=device.name,
                with_copies=with_copies,
                outcome=found.outcome,
                size=found.size,
                last_loss=found.last_loss,
            )


def _products(bench: Bench, device: str, *, with_copies: bool) -> dict[int, Timing]:
    return {
        one.n: one.time
        for one in bench.gemms
        if (one.device, one.precision, one.with_copies) == (device, "float32", with_copies)
    }
