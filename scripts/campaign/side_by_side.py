"""NVML's facts against those that nvidia-smi prints: the same driver is asked in two ways."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gpudoctor.sources.nvidia_smi_table import parse_banner

_NOTHING = ("", "N/A", "[N/A]", "[Not Supported]", "Not Supported", "[Not Found]", "[Unknown Error]")
_MODES = {
    "Default": "default", "Exclusive_Thread": "exclusive-thread", "Prohibited": "prohibited",
    "Exclusive_Process": "exclusive-process",
}  # fmt: skip


class Field(NamedTuple):
    """Where NVML's fact stands in a GPU of the snapshot, how nvidia-smi's text is read, and how far they may differ.

    `apart`: 0 is not at all; None: it moves by itself between two questions, and is shown only.
    """

    path: str
    read: Callable[[str], object]
    apart: float | None = 0


def _number(text: str) -> float:
    return float(text.split(maxsplit=1)[0])


def _flag(text: str) -> bool:
    return {"Enabled": True, "Disabled": False, "Yes": True, "No": False}[text]


def _bus(text: str) -> str:
    """00000000:01:00.0 as the kernel writes it, 0000:01:00.0."""
    domain, _, rest = text.lower().partition(":")
    return f"{domain[-4:]}:{rest}"


def _device(text: str) -> str:
    """0x233010DE: the device's number, then the vendor's."""
    return f"{text[6:10]}:{text[2:6]}".lower()


#: Fields of `nvidia-smi --help-query-gpu`.
FIELDS: Mapping[str, Field] = {
    "index": Field("index", _number),
    "name": Field("name", str),
    "uuid": Field("uuid", str),
    "pci.bus_id": Field("pci_bus_id", _bus),
    "pci.device_id": Field("pci_id", _device),
    "compute_cap": Field("capability", str),
    "memory.total": Field("memory_total_mib", _number),
    # Used memory is what is left of the total in two roundings, and another process may begin in between.
    "memory.used": Field("memory_used_mib", _number, 32),
    "temperature.gpu": Field("temperature_c", _number, 5),
    "power.limit": Field("power.limit", _number, 0.01),
    "power.default_limit": Field("power.default_limit", _number, 0.01),
    "power.min_limit": Field("power.minimum", _number, 0.01),
    "power.max_limit": Field("power.maximum", _number, 0.01),
    "power.draw": Field("power.draw", _number, None),
    "clocks.max.sm": Field("clock_sm_max_mhz", _number),
    "clocks.max.mem": Field("clock_memory_max_mhz", _number),
    "clocks.sm": Field("clock_sm_mhz", _number, None),
    "clocks.mem": Field("clock_memory_mhz", _number, None),
    "utilization.gpu": Field("utilization_percent", _number, None),
    "pstate": Field("performance_state", lambda text: float(text.removeprefix("P")), None),
    "persistence_mode": Field("persistence", _flag),
    "compute_mode": Field("compute_mode", _MODES.__getitem__),
    "display_active": Field("display_active", _flag),
    "display_mode": Field("display_attached", _flag),
    "ecc.mode.current": Field("ecc_enabled", _flag),
    "ecc.errors.uncorrected.volatile.total": Field("ecc_uncorrected_volatile", _number),
    "ecc.errors.uncorrected.aggregate.total": Field("ecc_uncorrected_aggregate", _number),
    "ecc.errors.corrected.volatile.total": Field("ecc_corrected_volatile", _number),
    "mig.mode.current": Field("mig_enabled", _flag),
    "pcie.link.gen.max": Field("pcie.generation_max", _number),
    "pcie.link.gen.current": Field("pcie.generation", _number, None),
    "pcie.link.width.max": Field("pcie.width_max", _number),
    "pcie.link.width.current": Field("pcie.width", _number),
}


def parse_rows(text: str, fields: Sequence[str]) -> list[dict[str, str]]:
    """The rows of `--format=csv,noheader,nounits`, one a GPU; lines with another number of values are left out."""
    split = (re.split(r",\s*", line.strip()) for line in text.splitlines() if line.strip())
    return [dict(zip(fields, row, strict=True)) for row in split if len(row) == len(fields)]


def compare(
    gpus: Sequence[Mapping[str, Any]], smi: Sequence[Mapping[str, str]], system: Mapping[str, object], banner: str
) -> list[dict[str, Any]]:
    """One row a fact and GPU: equal, differs, moves, only-nvml, only-smi. GPUs are paired by their address."""
    found = []
    by_bus = {_bus(row["pci.bus_id"]): row for row in smi if "pci.bus_id" in row}
    for gpu in gpus:
        row = by_bus.pop(str(gpu.get("pci_bus_id")), {})
        for name, field in FIELDS.items():
            found.append(_row(name, gpu.get("index"), _at(gpu, field.path), row.get(name, ""), field))
    found += [_row("the GPU itself", None, None, bus, Field("", str)) for bus in by_bus]
    release, cuda = parse_banner(banner)
    for name, told in (("driver_version", release), ("cuda_version", cuda)):
        found.append(_row(name, None, system.get(name), str(told or ""), Field("", str)))
    return found


def _row(fact: str, gpu: object, nvml: object, text: str, field: Field) -> dict[str, Any]:
    row = {"fact": fact, "gpu": gpu, "nvml": nvml, "smi": text}
    return {**row, "verdict": _verdict(nvml, text, field)}


def _verdict(nvml: object, text: str, field: Field) -> str:
    if text in _NOTHING:
        return "neither" if nvml is None else "only-nvml"
    if nvml is None:
        return "only-smi"
    try:
        told = field.read(text)
    except (ValueError, KeyError, IndexError):
        return "differs"
    if field.apart is None:
        return "moves"
    if isinstance(told, float) and isinstance(nvml, int | float):
        return "equal" if abs(told - nvml) <= field.apart else "differs"
    return "equal" if told == nvml else "differs"


def _at(gpu: Mapping[str, Any], path: str) -> object:
    value: Any = gpu
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
