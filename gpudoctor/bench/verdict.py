"""The conclusion of a benchmark, in words and numbers; no single score, since gains depend on the workload."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from gpudoctor.bench.estimates import EFFICIENCY, estimates
from gpudoctor.bench.speedups import WORTH_IT, crossovers, speedups
from gpudoctor.facts.bench import CPU, MOST_SPREAD, Bench
from gpudoctor.facts.bench_report import Achieved, Conclusion, Crossover, Estimate, Speedup
from gpudoctor.facts.gpus import Gpus
from gpudoctor.knowledge.matrix.efficiency import achieved
from gpudoctor.knowledge.matrix.query import Matrix

#: Above this quotient of its ends a range is told, not its middle.
_WIDE = 1.15


def conclude(bench: Bench, gpus: Gpus | None, matrix: Matrix, host_memory: float | None = None) -> Conclusion:
    """Everything that follows. `gpus`: those of the machine, if any could have been measured.

    `host_memory`: bytes a second in theory, if the user said how the CPU's is built.
    """
    timings = [one.time for one in bench.measured]
    found = Conclusion(
        speedups=speedups(bench),
        crossovers=crossovers(bench),
        achieved=achieved(bench, gpus, matrix, host_memory),
        estimates=estimates(bench, matrix),
        noisy=sum(one.noisy for one in timings),
        timings=len(timings),
    )
    return Conclusion(
        sentences=(*_unseen(bench, gpus), *_sentences(bench, found)),
        speedups=found.speedups,
        crossovers=found.crossovers,
        achieved=found.achieved,
        estimates=found.estimates,
        noisy=found.noisy,
        timings=found.timings,
    )


def _unseen(bench: Bench, gpus: Gpus | None) -> Iterator[str]:
    """A machine that has a GPU, and a framework that lists none."""
    if gpus and gpus.nvidia and bench.devices and not bench.gpus:
        names = ", ".join(gpu.label for gpu in gpus.nvidia)
        yield f"{bench.framework} sees no GPU, though there is {names}: `gpudoctor check` says why."


def _sentences(bench: Bench, found: Conclusion) -> Iterator[str]:
    if not found.timings:
        yield "Nothing was measured, so nothing follows."
        return
    if not bench.complete:
        yield "The measurement was stopped before its end: what follows rests on what was done until then."
    for gpu in bench.gpus:
        name = gpu.product or gpu.name
        yield from _training(name, bench, [one for one in found.speedups if one.device == gpu.name])
        yield from _mixed(bench, gpu.name)
        yield from _crossings([one for one in found.crossovers if one.device == gpu.name])
        yield from _rates([one for one in found.achieved if one.device == gpu.name])
    if not bench.gpus:
        yield from _cpu_only(bench, found)
    if found.noisy:
        yield (
            f"{found.noisy} of {found.timings} timings are noisy (they spread over more than {MOST_SPREAD:.0%}, differ "
            "from round to round, or are too few): something else was running, or clocks changed. What their ranges do "
            "not settle is left open."
        )


def _training(name: str, bench: Bench, pairs: list[Speedup]) -> Iterator[str]:
    plain = [one for one in pairs if one.precision == "float32"]
    steady = [one for one in plain if not one.noisy]
    if plain and not steady:
        yield f"Whether training is quicker on {name} cannot be said: its timings are too noisy to tell."
    if not steady:
        return
    threads = f" with {bench.cpu_threads} threads" if bench.cpu_threads else ""
    yield f"Training steps on {name}, as times as quick as on this CPU{threads}:"
    for (network, size), group in groupby(sorted(steady, key=_network), key=_network):
        yield f"- {network} on {size}x{size} inputs: {_span(list(group))}."


def _network(one: Speedup) -> tuple[str, int]:
    return one.network, one.input_size


def _span(pairs: list[Speedup]) -> str:
    """The smallest and the largest batch, and where it begins to pay."""
    ordered = sorted(pairs, key=lambda one: one.batch)
    ends = dict.fromkeys((ordered[0], ordered[-1]))
    wide = any(_is_wide(one) for one in ends)
    text = (", " if wide else " to ").join(f"{_ratio(one)} at batch {one.batch}" for one in ends)
    if all(one.ratio < WORTH_IT for one in ordered):
        return f"{text}: it gains nothing"
    if ordered[0].ratio < WORTH_IT:
        first = next(one for one in ordered if one.ratio >= WORTH_IT)
        return f"{text}; it begins to pay at batch {first.batch}"
    return text


def _is_wide(one: Speedup) -> bool:
    return one.high > _WIDE * one.low


def _ratio(one: Speedup) -> str:
    return f"{_times(one.low)} to {_times(one.high)}" if _is_wide(one) else _times(one.ratio)


def _times(ratio: float) -> str:
    return f"{ratio:,.{1 if ratio < 20 else 0}f}"


def _mixed(bench: Bench, device: str) -> Iterator[str]:
    """What mixed precision gains on the GPU itself."""
    on_gpu = {
        (one.network, one.batch, one.input_size, one.precision): one.time for one in bench.steps if one.device == device
    }
    gains = []
    for (network, batch, size, precision), time in on_gpu.items():
        exact = on_gpu.get((network, batch, size, "float32"))
        if precision != "float32" and exact is not None and not (time.noisy or exact.noisy):
            gains.append(f"{network} {exact.median / time.median:.1f} (batch {batch})")
    if gains:
        yield f"Mixed precision there, as times as quick as float32: {', '.join(gains)}."


def _crossings(found: list[Crossover]) -> Iterator[str]:
    for one in found:
        copied = "copied there and back each time" if one.with_copies else "that lie on the GPU"
        what = f"Products of matrices {copied}"
        if one.outcome == "from":
            yield f"{what} are quicker than on the CPU from {one.size} by {one.size} on ({one.last_loss} is not)."
        elif one.outcome == "always":
            yield f"{what} are quicker than on the CPU at every size measured, from {one.size} by {one.size} on."
        elif one.outcome == "never":
            yield f"{what} are not quicker than on the CPU at any size up to {one.last_loss} by {one.last_loss}."
        elif one.outcome == "unsure":
            yield f"{what}: noise hides from which size on they are quicker than on the CPU."


def _rates(found: list[Achieved]) -> Iterator[str]:
    parts = []
    for one in found:
        if one.noisy or not one.telling or not (one.reference or one.peak):
            continue
        shares = [f"{one.of_peak:.0%} of {'the link' if 'host' in one.what else 'the peak'}"] if one.of_peak else []
        shares += [f"{one.of_reference:.0%} of what healthy ones reach"] if one.of_reference else []
        parts.append(f"{in_words(one.what)} {rate(one.rate, one.unit)} ({', '.join(shares)})")
    if parts:
        yield f"It reaches: {'; '.join(parts)}."


def _cpu_only(bench: Bench, found: Conclusion) -> Iterator[str]:
    own = [one for one in found.achieved if one.device == CPU and not one.noisy]
    if own:
        rates = ", ".join(f"{in_words(one.what)} {rate(one.rate, one.unit)}" for one in own)
        yield f"No GPU was measured. This CPU with {bench.cpu_threads} threads: {rates}."
    for one in own:
        if one.of_peak:
            yield f"Its memory reaches {one.of_peak:.0%} of what its build allows ({rate(one.peak or 0, one.unit)})."
    known = [one for one in found.estimates if one.least is not None]
    if known:
        small, large = min(known, key=_least), max(known, key=_least)
        yield (
            "Estimated, not measured: training that keeps a GPU busy would be about "
            f"{_least(small):.0f} times ({small.product}) to about {_least(large):.0f} times as quick "
            f"({large.product}), each at {EFFICIENCY:.0%} of its peaks, the lower of memory and arithmetic. "
            "Small networks, such as those of tutorials, gain much less, or lose."
        )
    elif not own:
        yield "This CPU's rates are too noisy to estimate from them what a GPU would gain."


def _least(one: Estimate) -> float:
    return one.least or 0.0


def in_words(what: str) -> str:
    """What a rate is of."""
    named = {"memory": "memory", "host-to-device": "copies to it", "device-to-host": "copies from it"}
    return named.get(what, f"{what} products")


def rate(value: float, unit: str) -> str:
    """93.9 GB/s, 794 TFLOP/s."""
    steps: Iterable[tuple[float, str]] = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
    # Bandwidths are told in GB/s however large they are.
    scale, prefix = next(
        (step for step in steps if value >= step[0] and not (unit == "B/s" and step[0] > 1e9)), (1.0, "")
    )
    return f"{value / scale:,.{1 if value / scale < 100 else 0}f} {prefix}{unit}"
