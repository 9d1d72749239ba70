"""Parses the numbers in out-of-memory errors: who holds the memory, fragmentation, the size asked for."""

import math
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re

_SIZE = r"([\d.]+) ?(bytes|KiB|MiB|GiB|TiB|B|KB|MB|GB)"
_UNITS = {"b": 0, "bytes": 0, "ki": 10, "k": 10, "mi": 20, "m": 20, "gi": 30, "g": 30, "ti": 40}
_WANTED = re.compile(rf"Tried to allocate {_SIZE}", re.I)
#: 2.1 writes "total capacty of".
#: Until 2.0: "(GPU 0; 7.93 GiB total capacity; 2.81 GiB already allocated; 25.38 MiB free; 3.06 GiB reserved in total".
_TOTAL = re.compile(rf"{_SIZE} total capacity|total capaci?ty of {_SIZE}", re.I)
_FREE = re.compile(rf"{_SIZE} free\b|of which {_SIZE} is free", re.I)
_RESERVED = re.compile(rf"{_SIZE} (?:reserved in total|cached)", re.I)
_ALLOCATED = re.compile(rf"{_SIZE} (?:already allocated|is allocated by PyTorch)", re.I)
#: Since 2.1: "this process has 14.00 GiB memory in use. Of the allocated memory 12.5 GiB is allocated by PyTorch, ...".
_OWN = re.compile(rf"this process has {_SIZE} memory in use", re.I)
_UNUSED = re.compile(rf"and {_SIZE} is reserved by PyTorch but unallocated", re.I)
#: TensorFlow: "OOM when allocating tensor with shape[5,64,4890,4890] and type float on".
_TENSOR = re.compile(r"allocating tensor (?:of|with) shape ?\[([\d, ]{1,80})\] and type (\w{3,10})", re.I)
_BYTES = {"float": 4, "half": 2, "bfloat16": 2, "double": 8, "int32": 4, "int64": 8, "uint8": 1, "bool": 1}

#: vLLM at its start: "Free memory on device cuda:0 (3.22/4.0 GiB) on startup is less than desired GPU memory
#: utilization (0.9, 3.6 GiB)".
_SHARE = re.compile(
    r"Free memory on device[^(\n]{0,20}\((\d+(?:\.\d+)?)/(\d+(?:\.\d+)?) GiB\) on startup is less than desired"
    r" GPU memory utilization \([\d.]+, (\d+(?:\.\d+)?) GiB\)",
    re.I,
)


class OutOfMemory(NamedTuple):
    """What such a message states, in bytes; None where it does not."""

    wanted: int | None
    total: int | None
    free: int | None
    #: What this process holds, and what of it lies unused in PyTorch's cache.
    own: int | None
    unused: int | None

    @property
    def others(self) -> int | None:
        """What other programs hold."""
        if self.total is None or self.free is None or self.own is None:
            return None
        return max(0, self.total - self.free - self.own)


def parse_out_of_memory(text: str) -> OutOfMemory | None:
    """The numbers of a message; None where it has none."""
    if share := _SHARE.search(text):
        gib = [int(float(one) * 2**30) for one in share.groups()]
        return OutOfMemory(wanted=gib[2], total=gib[1], free=gib[0], own=0, unused=0)
    wanted, total = _bytes(_WANTED, text), _bytes(_TOTAL, text)
    if wanted is None or total is None:
        return None
    reserved, allocated = _bytes(_RESERVED, text), _bytes(_ALLOCATED, text)
    if reserved is not None and allocated is not None and reserved < allocated:
        # "cached" of old releases is what lies unused beside what is allocated.
        reserved += allocated
    own, unused = _bytes(_OWN, text), _bytes(_UNUSED, text)
    if own is None:
        own = reserved if reserved is not None else allocated
    if unused is None and reserved is not None and allocated is not None:
        unused = max(0, reserved - allocated)
    return OutOfMemory(wanted=wanted, total=total, free=_bytes(_FREE, text), own=own, unused=unused)


def _bytes(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    if match is None:
        return None
    number, unit = [group for group in match.groups() if group][:2]
    key = unit.lower() if unit.lower() == "bytes" else unit.lower().removesuffix("b")
    try:
        return int(float(number) * 2 ** _UNITS.get(key, 0))
    except ValueError:
        return None


def tensor_asked_for(text: str) -> int | None:
    """The bytes of the tensor that TensorFlow had no room for; None where the message does not tell."""
    match = _TENSOR.search(text)
    if match is None or match[2].lower() not in _BYTES:
        return None
    return math.prod(int(one) for one in match[1].split(",") if one.strip()) * _BYTES[match[2].lower()]
