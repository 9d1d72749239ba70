"""What nvidia-smi prints: the table, and the rows of a query. Source: its man page, output of drivers 331 to 615."""

from itertools import zip_longest

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.gpus import Gpu, PcieLink, Power, Refusal
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.sources.nvidia_codes import NO_CODE
from gpudoctor.sources.pci import bus_id

SOURCE = Source(kind="command", where="nvidia-smi")

#: The GPU has no such value. Anything else in square brackets is a refusal.
_NOTHING = ("", "N/A", "[N/A]", "[Not Supported]", "Not Supported", "[Not Found]")
_COMPUTE_MODES = {
    "Default": "default",
    "Exclusive_Thread": "exclusive-thread",
    "Prohibited": "prohibited",
    "Exclusive_Process": "exclusive-process",
}
_DRIVER = re.compile(r"\b(?:Driver|KMD) Version:\s*([\d.]{1,40})")
_CUDA = re.compile(r"\bCUDA(?: UMD)? Version:\s*([\d.]{1,40})")
#: "|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |": on Windows the driver model, not persistence.
_ROW = re.compile(
    r"^\|\s+(?P<index>\d{1,6})\s+(?P<name>\S.*?)\s+(?:On|Off|N/A|ERR!|WDDM|TCC|MCDM)\s*"
    r"\|\s*(?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s"
)
#: The table is 91 characters wide, at most.
_WIDTH = 200
_MEMORY = re.compile(r"\b(\d{1,12})\s*MiB\s*/\s*(\d{1,12})\s*MiB")


def parse_banner(text: str) -> tuple[DriverRelease | None, CudaVersion | None]:
    """Driver release and CUDA version from the first line of the table, of drivers up to 609 and from 610 on."""
    driver, cuda = _DRIVER.search(text), _CUDA.search(text)
    return DriverRelease.parse(driver and driver.group(1)), CudaVersion.parse(cuda and cuda.group(1))


def parse_table(text: str) -> tuple[Gpu, ...]:
    """The GPUs of the table: number, name (as it is cut off there), address and memory."""
    gpus = []
    lines = text.splitlines()
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        if row := _ROW.match(line[:_WIDTH]):
            memory = _MEMORY.search(following[:_WIDTH])
            gpus.append(
                Gpu(
                    vendor="nvidia",
                    index=int(row["index"]),
                    name=row["name"],
                    pci_bus_id=bus_id(row["bus"]),
                    memory_used_mib=int(memory.group(1)) if memory else None,
                    memory_total_mib=int(memory.group(2)) or None if memory else None,
                    source=SOURCE,
                )
            )
    return tuple(gpus)


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
        generation=_whole(row, "pcie.link.gen.current"),
        generation_max=_whole(row, "pcie.link.gen.max"),
        width=_whole(row, "pcie.link.width.current"),
        width_max=_whole(row, "pcie.link.width.max"),
    )
    power = Power(draw=_number(row, "power.draw"), limit=_number(row, "power.limit"))
    number = _text(row, "pci.device_id") or ""
    return Gpu(
        vendor="nvidia",
        index=_whole(row, "index"),
        name=_text(row, "name"),
        uuid=_text(row, "uuid"),
        pci_bus_id=bus_id(_text(row, "pci.bus_id") or ""),
        # The device number first, then the vendor's: 0x268410DE
        pci_id=f"{number[6:10]}:{number[2:6]}".lower() if len(number) == 10 else None,
        capability=Capability.parse(_text(row, "compute_cap")),
        memory_total_mib=_whole(row, "memory.total") or None,
        memory_used_mib=_whole(row, "memory.used"),
        temperature_c=_whole(row, "temperature.gpu"),
        utilization_percent=_whole(row, "utilization.gpu"),
        persistence=_flag(row, "persistence_mode"),
        display_active=_flag(row, "display_active"),
        ecc_enabled=_flag(row, "ecc.mode.current"),
        compute_mode=_COMPUTE_MODES.get(row.get("compute_mode", "")),  # type: ignore[arg-type]
        pcie=pcie if pcie != PcieLink() else None,
        power=power if power != Power() else None,
        refusals=tuple(_refusal(name, value) for name, value in row.items() if _refused(value)),
        source=SOURCE,
    )


def _refused(value: str) -> bool:
    return value not in _NOTHING and (value.startswith("[") or value == "ERR!")


def _refusal(name: str, value: str) -> Refusal:
    return Refusal(call=f"nvidia-smi {name}", code=NO_CODE, name=value.strip("[]"))


def _text(row: dict[str, str], name: str) -> str | None:
    value = row.get(name, "")
    return None if value in _NOTHING or _refused(value) else value


def _number(row: dict[str, str], name: str) -> float | None:
    """The number before a unit, as in "24564 MiB"."""
    match = re.match(r"\d{1,12}(?:\.\d{1,12})?(?=$|\s)", row.get(name, ""))
    return float(match.group()) if match else None


def _whole(row: dict[str, str], name: str) -> int | None:
    number = _number(row, name)
    return None if number is None else int(number)


def _flag(row: dict[str, str], name: str) -> bool | None:
    return {"Enabled": True, "Disabled": False}.get(row.get(name, ""))
