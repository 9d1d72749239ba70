"""Parses nvidia-smi's table: banner, GPUs, processes. Source: output of drivers 331-615."""

from collections.abc import Sequence

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.gpus import Gpu, GpuProcess, Power
from gpudoctor.facts.versions import CudaVersion, DriverRelease, whole_number
from gpudoctor.sources.nvidia_codes import SMI
from gpudoctor.sources.nvidia_smi import flag_of, mode_of, number_of
from gpudoctor.sources.pci import bus_id

_DRIVER = re.compile(r"\b(?:Driver|KMD) Version:\s*([\d.]{1,40})")
_CUDA = re.compile(r"\bCUDA(?: UMD)? Version:\s*([\d.]{1,40})")
#: "|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |": on Windows the driver model, not persistence.
_ROW = re.compile(
    r"^\|\s+(?P<index>\d{1,6})\s+(?P<name>\S.*?)\s+(?P<switched>On|Off|N/A|ERR!|WDDM|TCC|MCDM)\s*"
    r"\|\s*(?P<bus>[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s"
)
_READINGS = re.compile(
    r"^\|\s*(?:(?:\d+%|N/A|ERR!)\s+)?(?P<temperature>\d+)C\s+(?:(?P<state>P\d+|N/A)\s+)?(?P<draw>\d+)?"
    r"(?:W|N/A|\?\?\?|ERR!)?\s*/\s*(?P<limit>\d+)?[^|]*\|[^|]*\|\s*(?:(?:(?P<busy>\d+)%|N/A|-|ERR!)\s+)?"
    r"(?P<mode>Default|E\. Process|E\. Thread|Prohibited|N/A)"
)
_MEMORY = re.compile(r"\b(\d{1,12})\s*MiB\s*/\s*(\d{1,12})\s*MiB")
_MIG = re.compile(r"(Enabled|Disabled)\*?\s*\|$")
_PROCESS = re.compile(
    r"^\|\s+(?P<gpu>\d+)\s+(?:(?:N/A|\d+)\s+(?:N/A|\d+)\s+)?(?P<pid>\d{1,8})\s+(?P<kind>C\+G|C|G"
    r"|M\+C)\s+(?P<name>\S.*?)\s+"
    r"(?P<used>\d+(?=MiB)|N/A)(?:MiB)?\s*\|"
)
#: The table is 91 characters wide, at most.
_WIDTH = 200


def parse_banner(text: str) -> tuple[DriverRelease | None, CudaVersion | None]:
    """Driver release and CUDA version from the first line of the table, of drivers up to 609 and from 610 on."""
    driver, cuda = _DRIVER.search(text), _CUDA.search(text)
    return DriverRelease.parse(driver and driver.group(1)), CudaVersion.parse(cuda and cuda.group(1))


def parse_table(text: str, source: Source = SMI) -> tuple[Gpu, ...]:
    """The GPUs of the table, their names as they are cut off there."""
    lines = [line.strip()[:_WIDTH] for line in text.splitlines()]
    rows = ((at, row) for at, line in enumerate(lines) if (row := _ROW.match(line)))
    return tuple(_gpu(row, [*lines[at + 1 : at + 3], "", ""], lines, source) for at, row in rows)


def _gpu(row: re.Match[str], below: Sequence[str], lines: Sequence[str], source: Source) -> Gpu:
    """A GPU of the row and the two lines below it."""
    memory, read, mig = _MEMORY.search(below[0]), _READINGS.match(below[0]), _MIG.search(below[1])
    state = read["state"] or "" if read else ""
    return Gpu(
        vendor="nvidia",
        index=int(row["index"]),
        name=row["name"],
        pci_bus_id=bus_id(row["bus"]),
        memory_used_mib=int(memory[1]) if memory else None,
        memory_total_mib=int(memory[2]) or None if memory else None,
        temperature_c=int(read["temperature"]) if read else None,
        performance_state=int(state[1:]) if state.startswith("P") else None,
        utilization_percent=whole_number(read["busy"]) if read else None,
        power=_power(read) if read else None,
        compute_mode=mode_of(read["mode"]) if read else None,
        persistence=flag_of(row["switched"]),
        mig_enabled=flag_of(mig[1]) if mig else None,
        processes=_processes(row["index"], lines) or None,
        source=source,
    )


def _power(read: re.Match[str]) -> Power | None:
    power = Power(draw=number_of(read["draw"]), limit=number_of(read["limit"]))
    return power if power != Power() else None


def _processes(index: str, lines: Sequence[str]) -> tuple[GpuProcess, ...]:
    """The processes it lists; that it lists none says little, as in a container it sees none."""
    found = (match for line in lines if (match := _PROCESS.match(line)) and match["gpu"] == index)
    return tuple(
        GpuProcess(
            pid=int(match["pid"]),
            name=re.split(r"[/\\]", match["name"])[-1],
            used_mib=whole_number(match["used"]),
            kind="graphics" if match["kind"] == "G" else "compute",
        )
        for match in found
    )
