"""Finds GPUs slower than others of their kind, by median and median absolute deviation."""

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import NormalDist, median
from typing import NamedTuple

from gpudoctor.facts.bench import TOO_LOW
from gpudoctor.fleet.drift import Members
from gpudoctor.fleet.overview import Slow

#: False alarms that are expected in a whole run where nothing is wrong and what is measured is normally distributed.
_FALSE_ALARMS = 0.05
#: The median absolute deviation times this is the standard deviation of a normal distribution: 1 / inv_cdf(0.75).
_TO_SIGMA = 1.4826
#: Fewer GPUs than this say nothing of what is usual.
_FEWEST = 8
#: Shares below the median. GPUs of a node differ by up to 5 % by silicon and cooling alone
#: (github.com/stas00/ml-engineering, compute/accelerator); runs of one node by 0.1 to 4 %
#: (github.com/lambdal/deeplearning-benchmark, 38 single H100).
_FLOOR = 0.05
#: Values that the median is taken of: it differs from that of all by less than a hundredth of the spread.
_SAMPLE = 20_001


class _Series(NamedTuple):
    hosts: list[str]
    gpus: "array[int]"
    values: "array[float]"


def slow_in(groups: Iterable[Members]) -> tuple[list[Slow], list[tuple[Members, int]]]:
    """The slow GPUs of all groups, the slowest first; and the groups with too few GPUs to say."""
    kinds: list[tuple[tuple[str, str], _Series]] = []
    small: list[tuple[Members, int]] = []
    for members in groups:
        series = _series(members)
        kinds += [(metric[:2], one) for metric, one in series.items() if len(one.values) >= _FEWEST]
        fewest = [len(one.values) for one in series.values() if len(one.values) < _FEWEST]
        if fewest:
            small.append((members, min(fewest)))
    compared = sum(len(one.values) for _, one in kinds)
    found = [slow for (name, unit), one in kinds for slow in _slow(name, unit, one, compared)]
    return sorted(found, key=lambda one: one.value / one.median), small


def _series(members: Members) -> dict[tuple[str, str, str, str], _Series]:
    """The values of a group, by what was measured and by what it depends on: the power cap and the link."""
    found: dict[tuple[str, str, str, str], _Series] = defaultdict(lambda: _Series([], array("i"), array("f")))
    for host, kept in members.nodes.items():
        if not kept.metrics:
            continue
        fields = dict(kept.fields)
        for (name, unit), values in zip(kept.metrics, kept.values, strict=True):
            series = found[name, unit, fields.get("power cap", ""), fields.get("PCIe", "")]
            series.hosts.extend([host] * len(values))
            series.gpus.extend(range(len(values)))
            series.values.extend(values)
    return found


def _slow(name: str, unit: str, series: _Series, compared: int) -> Iterator[Slow]:
    sample = series.values[:: max(1, len(series.values) // _SAMPLE)]
    middle = median(sample)
    if not middle > 0:
        return
    sigma = _TO_SIGMA * median(abs(value - middle) for value in sample)
    limit = max(_FLOOR, _deviations(len(sample), compared) * sigma / middle)
    least = middle * (1 - limit)
    for place, value in enumerate(series.values):
        if value < least:
            yield Slow(
                host=series.hosts[place],
                gpu=series.gpus[place],
                metric=name,
                unit=unit,
                value=value,
                median=middle,
                limit=limit,
                severity="error" if value < TOO_LOW * middle else "warning",
                of=len(series.values),
            )


def _deviations(seen: int, compared: int) -> float:
    """How many standard deviations are normal: more where more GPUs are compared, or the spread is little known.

    The standard error of a spread from the median absolute deviation of n values is 1.17 / sqrt(n) of it (its
    efficiency is 37 %: Rousseeuw and Croux, 1993, doi.org/10.1080/01621459.1993.10476408).
    """
    normal = NormalDist().inv_cdf(1 - _FALSE_ALARMS / max(compared, 1))
    return normal * (1 + 2 * 1.17 / math.sqrt(seen))
