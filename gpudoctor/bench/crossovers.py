"""From which matrix size on one device is always faster than another (the GPU than the CPU)."""

from collections.abc import Mapping
from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.bench import Timing


class Crossing(Fact, frozen=True, kw_only=True):
    """How two devices compare over sizes.

    always: the second wins at every size. from: from `size` on, where `last_loss` is the largest size at which it does
    not. never: it does not win at the largest. unsure: the largest sizes are too noisy to say. unknown: too little was
    measured on both.
    """

    outcome: Literal["always", "from", "never", "unsure", "unknown"]
    size: int | None = None
    last_loss: int | None = None


def crossing(first: Mapping[int, Timing], second: Mapping[int, Timing]) -> Crossing:
    """The size from which `second` is quicker at all larger ones too (GPU-BLOB's offload threshold).

    A size at which the two are within each other's noise is no win. Definition: GPU BLAS Offload Benchmark,
    doi.org/10.1109/SCW63240.2024.00188.
    """
    sizes = sorted(first.keys() & second.keys())
    if len(sizes) < 2:
        return Crossing(outcome="unknown")
    verdicts = {size: _compare(first[size], second[size]) for size in sizes}
    lost = [size for size in sizes if verdicts[size] != "win"]
    if not lost:
        return Crossing(outcome="always", size=sizes[0])
    last = lost[-1]
    if last != sizes[-1]:
        return Crossing(outcome="from", size=sizes[sizes.index(last) + 1], last_loss=last)
    # At the largest size: a loss that is sure, or one that noise hides?
    return Crossing(outcome="never" if verdicts[last] == "loss" else "unsure", last_loss=last)


def _compare(first: Timing, second: Timing) -> Literal["win", "loss", "unsure"]:
    """Whether the second is quicker, by more than how far their samples spread."""
    if _slowest(second) < _quickest(first):
        return "win"
    return "loss" if _quickest(second) >= _slowest(first) or _steady(first, second) else "unsure"


def _steady(*timings: Timing) -> bool:
    return not any(one.noisy for one in timings)


def _quickest(time: Timing) -> float:
    return min((time.p20, *time.rounds))


def _slowest(time: Timing) -> float:
    return max((time.p80, *time.rounds))
