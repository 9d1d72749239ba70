"""Parses nvidia-smi --query-gpu output and its errors. Source: its man page, output of drivers 331 to 615."""

from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import Gpu, PcieLink, Power, Refusal
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.sources.nvidia_codes import NO_CODE, SMI
from gpudoctor.sources.pci import bus_id

#: The GPU has no such value. Anything else in square brackets is a refusal.
_NOTHING = ("", "N/A", "[N/A]", "[Not Supported]", "Not Supported", "[Not Found]")
ComputeMode = Literal["default", "exclusive-thread", "prohibited", "exclusive-process"]
_COMPUTE_MODES: dict[str, ComputeMode] = {
    "Default": "default",
    "Exclusive_Thread": "exclusive-thread",
    "E. Thread": "exclusive-thread",
    "Prohibited": "prohibited",
    "Exclusive_Process": "exclusive-process",
    "E. Process": "exclusive-process",
}
#: How its failures are worded, and the code of NVML behind them.
_FAILURES = (
    ("couldn't communicate with the NVIDIA driver", 9),
    ("Driver/library version mismatch", 18),
    ("Failed to initialize NVML: Unknown Error", 999),
    ("Failed to initialize NVML: Insufficient Permissions", 4),
    ("Failed to initialize NVML: Driver Not Loaded", 9),
    ("GPU access blocked by the operating system", 17),
    ("couldn't find libnvidia-ml.so", 12),
    ("No devices were found", 0),
)
_HANDLE = re.compile(
    r"Unable to determine the device handle for (?:GPU\s?|gpu )([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)"
    r":\s*(GPU is lost|Unknown Error|Not Found)?"
)


def parse_csv(text: str) -> tuple[Gpu, ...]:
    """The GPUs of `--query-gpu=... --format=csv`."""
    return tuple(_gpu(row) for row in _rows(text))


def parse_release(text: str) -> DriverRelease | None:
    """The driver release that each row of the query repeats."""
    return next((DriverRelease.parse(row.get("driver_version")) for row in _rows(text)), None)


def _rows(text: str) -> list[dict[str, str]]:
    """The rows by the names of the columns, which the first line gives, with units in brackets."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or "," not in lines[0]:
        return []
    columns = [column.strip().split(" ")[0] for column in lines[0].split(",")]
    rows = ([value.strip() for value in line.split(",")] for line in lines[1:])
    return [dict(zip(columns, row, strict=True)) for row in rows if len(row) == len(columns)]


def _gpu(row: dict[str, str]) -> Gpu:
    pcie = PcieLink(
        generation=whole_of(row.get("pcie.link.gen.current")),
        generation_max=whole_of(row.get("pcie.link.gen.max")),
        width=whole_of(row.get("pcie.link.width.current")),
        width_max=whole_of(row.get("pcie.link.width.max")),
    )
    power = Power(draw=number_of(row.get("power.draw")), limit=number_of(row.get("power.limit")))
    number = _text(row, "pci.device_id") or ""
    return Gpu(
        vendor="nvidia",
        index=whole_of(row.get("index")),
        name=_text(row, "name"),
        uuid=_text(row, "uuid"),
        pci_bus_id=bus_id(_text(row, "pci.bus_id") or ""),
        # The device number first, then the vendor's: 0x268410DE
        pci_id=f"{number[6:10]}:{number[2:6]}".lower() if len(number) == 10 else None,
        capability=Capability.parse(_text(row, "compute_cap")),
        memory_total_mib=whole_of(row.get("memory.total")) or None,
        memory_used_mib=whole_of(row.get("memory.used")),
        temperature_c=whole_of(row.get("temperature.gpu")),
        utilization_percent=whole_of(row.get("utilization.gpu")),
        persistence=flag_of(row.get("persistence_mode")),
        display_active=flag_of(row.get("display_active")),
        ecc_enabled=flag_of(row.get("ecc.mode.current")),
        compute_mode=mode_of(row.get("compute_mode")),
        pcie=pcie if pcie != PcieLink() else None,
        power=power if power != Power() else None,
        refusals=tuple(_refusal(name, value) for name, value in row.items() if _refused(value)),
        source=SMI,
    )


def _refused(value: str) -> bool:
    return value not in _NOTHING and (value.startswith("[") or value == "ERR!")


def _refusal(name: str, value: str) -> Refusal:
    return Refusal(call=f"nvidia-smi {name}", code=NO_CODE, name=value.strip("[]"))


def _text(row: dict[str, str], name: str) -> str | None:
    value = row.get(name, "")
    return None if value in _NOTHING or _refused(value) else value


def parse_failure(text: str) -> int | None:
    """The code of NVML that a failure's words stand for; None where they are no known failure."""
    return next((code for words, code in _FAILURES if words in text), None)


def parse_lost_gpu(text: str) -> tuple[str | None, int] | None:
    """The address of a GPU that nvidia-smi cannot reach, and why as a code of NVML; None where it names none."""
    lost = _HANDLE.search(text) if "device handle" in text else None
    return (bus_id(lost[1]), {"GPU is lost": 15, "Not Found": 6}.get(lost[2], 999)) if lost else None


def number_of(value: str | None) -> float | None:
    """The number before a unit, as in "24564 MiB" or "16x"."""
    match = re.match(r"\d{1,12}(?:\.\d{1,12})?(?=x?(?:$|\s))", value or "")
    return float(match.group()) if match else None


def whole_of(value: str | None) -> int | None:
    """The same without a fraction."""
    number = number_of(value)
    return None if number is None else int(number)


def flag_of(value: str | None) -> bool | None:
    """Whether something is on."""
    return {"Enabled": True, "Yes": True, "On": True, "Disabled": False, "No": False, "Off": False}.get(value or "")


def mode_of(value: str | None) -> ComputeMode | None:
    """The compute mode, in the words of a query, of `-q` or of the table."""
    return _COMPUTE_MODES.get(value or "")
