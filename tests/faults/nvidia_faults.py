"""Ways in which NVML, the CUDA driver and nvidia-smi may misbehave, as scenarios; seeded, in any number.

A fault is what one function returns (a code), how it dies or hangs, what nonsense stands in a fact, how many GPUs each
library counts, or what nvidia-smi prints and how it ends.
"""

import random
import re
from collections.abc import Iterator
from itertools import product
from typing import Literal, NamedTuple

from tests.fake_driver import SOURCES, machine
from tests.fake_driver.profiles import Lines

Kind = Literal["code", "death", "hang", "garbage", "count", "forged", "nvidia-smi", "contradiction"]

CODES = {"nvml": (*range(1, 31), 999, 12345, -7), "cu": (1, 2, 3, 4, 34, 36, 46, 100, 101, 102, 200, 201, 214, 220, 304,
         500, 700, 719, 800, 801, 802, 803, 804, 805, 807, 919, 999, 12345, -7)}  # fmt: skip
DEATHS = ("segv", "ill", "bus", "fpe", "abort", "exit", "exit0", "kill", "close", "flood", "term", "hup",
          "quit")  # fmt: skip
HANGS = ("hang", "deaf", "stop", "spin")
#: Facts and what no GPU has of them.
GARBAGE = {
    "capability": ("99,99", "0,0", "255,255", "8,10", "4294967295,0"),
    "memory": (0, 6_000_000_000_000, 2**44 - 1),
    "temperature.0": (4294967295, 4000000, 2147483648),
    "power": (4294967295, 4000000000),
    "utilization": (101, 4294967295),
    "clock.1": (4294967295, 999999),
    "pcie_width": (0, 99999),
    "pcie_generation": (0, 77),
    "name": ("\x1b[2J", "", "x" * 90),
    "bus_id": ("", "nonsense", "zz:zz:zz.z", ":::::"),
    "uuid": ("", "GPU-0", "\x07" * 30),
    "compute_mode": (17, 4294967295),
    "architecture": (4711,),
    "mig_mode": ("7,7",),
}
#: What CUDA says of a GPU (RTX 3090, 24 GiB) and NVML does not.
CONTRADICTED = {
    "cuda_name": ("Tesla T4", "NVIDIA A100-SXM4-40GB", "x"),
    "cuda_capability": ("7,5", "8,0", "9,0", "12,0"),
    "cuda_memory": (1, 4096, 22000, 26000, 81559),
    "cuda_uuid": ("GPU-ffffffff-0000-1111-2222-333333333333",),
    "cuda_bus_id": ("0000:77:00.0",),
}
SYSTEM = {"driver": ("", "x", "9" * 70, "0"), "cuda": (0, -1, 999999999, 7)}
FORGED = (
    '["=", 0', '["=", true, 1]', '["=", 99999999999999, null]', '["?", "gpu 0"]', '["?", "gpu 999999999", "name", "x"]',
    '["?", "", "", ""]', '["?", "gpu 0", "memory", "x"]', '["?", "peers 0 1", "status", "x"]', '["."]', "[[[[", "null",
    '["=", 0, {"total": {}, "used": []}]', '["=", 0, 1e999]', '["=", 0, ' + "9" * 150 + "]", '["=", -1, [[[]]]]',
    '["?", "system", "init", "x"]', '["?", "system", "count", "x"]', '["?", "system", "library", "x"]',
)  # fmt: skip
BODIES = ("", "\n\n", "NVIDIA-SMI has failed", "Failed to initialize NVML: Driver/library version mismatch",
          "Failed to initialize NVML: Unknown Error", "No devices were found", "| 0 x On | 0000:01:00.0 Off |",
          "index, name\n1", "index, memory.total [MiB]\n0, 99999999999999999999 MiB", "\\377\\376\\000")  # fmt: skip
ENDS = ("exit 0", "exit 1", "exit 9", "exit 12", "exit 18", "exit 127", "exit 255", "kill -SEGV $$", "kill -KILL $$",
        "sleep 60")  # fmt: skip


class Fault(NamedTuple):
    """One scenario. `call` is the function, fact or body that is ill, `how` what is wrong with it."""

    kind: Kind
    call: str
    how: str
    lines: Lines
    #: What the program nvidia-smi does, where it is asked in place of the libraries.
    script: str | None = None

    @property
    def name(self) -> str:
        return f"{self.kind} {self.call} {self.how}"


def calls() -> dict[str, tuple[str, ...]]:
    """The functions of the two libraries, as their fakes define them."""
    found = {}
    for prefix, source in (("nvml", "nvml.c"), ("cu", "cuda.c")):
        text = (SOURCES / source).read_text()
        names = re.findall(rf"\b{prefix}(?:Init|System|Device|Driver)\w*", text)
        found[prefix] = tuple(sorted({name for name in names if "PrimaryCtx" not in name}))
    return found


def every_fault(profile: str = "RTX 3090") -> Iterator[Fault]:
    """All of them for two GPUs of a kind, in a fixed order."""
    for prefix, names in calls().items():
        for name in names:
            yield from _of_call(profile, name, CODES[prefix])
    tables: tuple[tuple[Kind, dict[str, tuple[object, ...]]], ...]
    tables = (("garbage", GARBAGE), ("contradiction", CONTRADICTED))
    for kind, table in tables:
        for (fact, values), gpu in product(table.items(), "01*"):
            for value in values:
                yield Fault(kind, fact, f"{gpu}={value!r}", machine(profile, 2) | {f"gpu.{gpu}.{fact}": value})
    for fact, values in SYSTEM.items():
        yield from (Fault("garbage", fact, repr(value), machine(profile, 2, **{fact: value})) for value in values)
    for nvml, cuda in product((-1, 0, 1, 2, 3, 128, 129, 4000000000), repeat=2):
        lines = machine(profile, 2) | {"count": nvml, "cuda_count": cuda}
        yield Fault("count", "NVML, CUDA", f"{nvml}, {cuda}", lines)
    for body, end in product(BODIES, ENDS):
        yield Fault("nvidia-smi", repr(body)[:40], end, {}, script=f"printf '%b' '{body}'; {end}")


def _of_call(profile: str, name: str, codes: tuple[int, ...]) -> Iterator[Fault]:
    of_gpu = name.startswith(("nvmlDevice", "cuDevice")) and "Count" not in name
    for code, which in product(codes, ("", "1.") if of_gpu else ("",)):
        yield Fault("code", f"{which}{name}", str(code), machine(profile, 2, **{f"err.{which}{name}": code}))
    for end, which in product((*DEATHS, *HANGS), ("", "1.") if of_gpu else ("",)):
        kind: Kind = "death" if end in DEATHS else "hang"
        yield Fault(kind, f"{which}{name}", end, machine(profile, 2, **{f"do.{which}{name}": end}))
    for text in FORGED:
        yield Fault("forged", name, text, machine(profile, 2, **{f"do.{name}": "forge", "forged": text}))


def some_faults(number: int, seed: int = 0) -> list[Fault]:
    """That many of them, of each kind a fair part; all where `number` is 0."""
    by_kind: dict[str, list[Fault]] = {}
    for fault in every_fault():
        by_kind.setdefault(fault.kind, []).append(fault)
    if not number:
        return [fault for faults in by_kind.values() for fault in faults]
    chance = random.Random(seed)
    share = -(-number // len(by_kind))
    return [fault for faults in by_kind.values() for fault in chance.sample(faults, min(share, len(faults)))]
