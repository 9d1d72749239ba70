"""Compares a version with what the user requires."""

import operator
from collections.abc import Callable, Iterable
from itertools import zip_longest

_COMPARE: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}


def meets(numbers: tuple[int, ...], comparisons: Iterable[tuple[str, str]]) -> bool:
    """All comparisons hold. For == and != the numbers that are given count: 3.12.4 is "==3.12"."""
    return all(_holds(numbers, op, tuple(int(part) for part in version.split("."))) for op, version in comparisons)


def _holds(numbers: tuple[int, ...], op: str, wanted: tuple[int, ...]) -> bool:
    if op in ("==", "!="):
        padded = numbers + (0,) * (len(wanted) - len(numbers))
        return (padded[: len(wanted)] == wanted) is (op == "==")
    pairs = tuple(zip_longest(numbers, wanted, fillvalue=0))
    return _COMPARE[op](tuple(a for a, _ in pairs), tuple(b for _, b in pairs))
