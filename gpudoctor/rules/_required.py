"""Requirements of the user: `gpu>=2`, `driver>=570`, `compute-capability>=8.0`."""

import operator
from collections.abc import Iterable

_OPERATORS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}


def unmet(version: str | None, comparisons: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The comparisons that a dotted number does not meet; an unknown version meets none, and fails a bare demand too.

    == and != compare as many numbers as the requirement names, so that 570.86.15 meets driver==570.
    """
    if version is None:
        return tuple(f"{sign}{wanted}" for sign, wanted in comparisons) or ("present",)
    return tuple(f"{sign}{wanted}" for sign, wanted in comparisons if not _meets(version, sign, wanted))


def _meets(version: str, sign: str, wanted: str) -> bool:
    has, wants = _numbers(version), _numbers(wanted)
    if sign in ("==", "!="):
        return (has[: len(wants)] == wants) is (sign == "==")
    length = max(len(has), len(wants))
    padded = [numbers + [0] * (length - len(numbers)) for numbers in (has, wants)]
    return bool(_OPERATORS[sign](*padded))


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".")]
