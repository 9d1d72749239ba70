"""nvidia-smi: its table, `-L`, `--query-gpu`, and what it says when it fails."""

from collections.abc import Iterator
from itertools import pairwise

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Answer, Driver, DriverLibrary
from gpudoctor.facts.gpus import Gpu, GpuProcess, Gpus, MigInstance, Power, Refusal
from gpudoctor.facts.system import Container, System, Wsl
from gpudoctor.facts.versions import DriverRelease, whole_number
from gpudoctor.sources.nvidia_codes import nvml_code
from gpudoctor.sources.nvidia_smi import parse_banner, parse_csv, parse_release, parse_table
from gpudoctor.sources.pci import bus_id
from gpudoctor.tickets.fragment import Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

TABLE, LISTING, QUERY, FAILURE = "nvidia-smi", "nvidia-smi -L", "nvidia-smi --query-gpu", "nvidia-smi's failure"

_BANNER = re.compile(r"(?<![\w-])NVIDIA-SMI\s+(\d[\d.]*)\s+(?:Driver|KMD) Version:", re.I)
#: It shows the GPUs, and finds no libcuda to ask for CUDA's version.
_NO_CUDA = re.compile(r"\bCUDA Version:\s*N/A")
_IN_A_CONTAINER = re.compile(
    r"\b(?:docker|nerdctl|podman) run\b.*\bnvidia-smi\b"
    r"|\b(?:in|inside|within) (?:(?:my|the|a|an|this|our) )?(?:[\w-]+ )?(?:container|docker)\b|^\W*root@[\w.-]+:/#",
    re.I,
)
_IN_TABLE = re.compile(r"^\s*[|+]|^\s*$|^\s*\w{3} \w{3} +\d+ ")
_READINGS = re.compile(
    r"^\|\s*(?:(?:\d+%|N/A|ERR!)\s+)?(?P<temperature>\d+)C\s+(?:(?P<state>P\d+|N/A)\s+)?(?P<draw>\d+)?"
    r"(?:W|N/A|\?\?\?|ERR!)?\s*/\s*(?P<limit>\d+)?[^|]*\|[^|]*\|\s*(?:(?:(?P<busy>\d+)%|N/A|-|ERR!)\s+)?"
    r"(?P<mode>Default|E\. Process|E\. Thread|Prohibited|N/A)"
)
_MODES = {
    "Default": "default",
    "E. Process": "exclusive-process",
    "E. Thread": "exclusive-thread",
    "Prohibited": "prohibited",
}
_PROCESS = re.compile(
    r"^\|\s+(?P<gpu>\d+)\s+(?:(?:N/A|\d+)\s+(?:N/A|\d+)\s+)?(?P<pid>\d{1,8})\s+(?P<kind>C\+G|C|G"
    r"|M\+C)\s+(?P<name>\S.*?)\s+"
    r"(?P<used>\d+(?=MiB)|N/A)(?:MiB)?\s*\|"
)
_LISTED = re.compile(
    r"^\s*GPU (\d+): (?:(.+?) \(UUID: (GPU-[0-9a-fA-F-]+)\)|((?:NVIDIA|GeForce|Tesla|Quadro|TITAN) [\w .-]{2,40}?)\s*$)"
)
_MIG = re.compile(r"^\s*MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[^)]+)\)")
_ASKED = re.compile(r"--query-gpu[= ]['\"]?([\w.,]+)['\"]?.*?(?:noheader|$)")
_HEADER = re.compile(
    r"^\s*(?:index|name|gpu_name|uuid|driver_version|timestamp|count|compute_cap|memory\.\w+|pci\.\w+)\b.*,"
)
_UNITS = re.compile(r" \[(?:MiB|W|%|MHz)\]")

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
_LIBRARY = re.compile(r"NVML library version:\s*(\d+\.[\d.]*\d)")
_HANDLE = re.compile(
    r"Unable to determine the device handle for (?:GPU\s?|gpu )([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)"
    r":\s*(GPU is lost|Unknown Error|Not Found)?"
)


def parse_smi(text: Pasted) -> tuple[Fragment, ...]:
    """Everything of nvidia-smi in the text but `-q`."""
    return (*_tables(text), *_listing(text), *_queries(text), *_failures(text))


def _tables(text: Pasted) -> Iterator[Fragment]:
    starts = [number for number, _ in text.found(_BANNER)]
    for start, end in pairwise((*starts, len(text.lines) + 1)):
        lines = tuple(_table_lines(text, start, end))
        yield from _table("\n".join(text.lines[number - 1].strip() for number in lines), lines)
        if _NO_CUDA.search(text.lines[start - 1]):
            yield from _without_cuda(text, start)


def _without_cuda(text: Pasted, number: int) -> tuple[Fragment, ...]:
    """NVML is there and libcuda is not, as in a container that was given the one without the other."""
    where = source(TABLE, number)
    nvml = DriverLibrary(name="libnvidia-ml.so.1", path="libnvidia-ml.so.1", first=True)
    boxed = any(_IN_A_CONTAINER.search(line) for line in text.lines)
    return fragment(
        TABLE,
        (number,),
        driver=Driver(libraries=(nvml,), cuda_init=Answer(outcome="no-library", source=where), source=where),
        container=Container(kind="docker") if boxed else None,
    )


def _table_lines(text: Pasted, start: int, end: int) -> Iterator[int]:
    """The table's lines: those with a frame, until three others follow one another."""
    others = 0
    yield start
    for number in range(start + 1, min(end, start + 400)):
        line = text.lines[number - 1]
        others = 0 if line.strip() and _IN_TABLE.match(line) else others + 1
        if others > 3:
            return
        if others == 0:
            yield number


def _table(text: str, lines: tuple[int, ...]) -> tuple[Fragment, ...]:
    release, cuda = parse_banner(text)
    where = source(TABLE, lines[0])
    gpus = tuple(_with_readings(gpu, text) for gpu in parse_table(text))
    code = nvml_code(0)
    own = _BANNER.search(text)
    # Under WSL the program is Linux's and the driver is Windows's.
    is_wsl = own is not None and release is not None and own[1] != release.text and release.text.count(".") == 1
    on_windows = bool(re.search(r"\b(?:WDDM|TCC|MCDM|Driver-Model)\b", text))
    known = bool(gpus) or "Persistence-M" in text
    return fragment(
        TABLE,
        lines,
        driver=Driver(
            release=release,
            cuda=cuda,
            nvml=Answer(outcome="answered", code=0, name=code.name, device_count=len(gpus), source=where)
            if gpus
            else None,
            source=where,
        ),
        gpus=Gpus(devices=tuple(msgspec.structs.replace(gpu, source=where) for gpu in gpus)) if gpus else None,
        host=System(os="windows" if on_windows else "linux") if known else None,
        container=Container(wsl=Wsl(version=2)) if is_wsl and not on_windows else None,
    )


def _with_readings(gpu: Gpu, text: str) -> Gpu:
    """The GPU with what the two lines below its first one say."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if re.match(rf"\|\s+{gpu.index}\s+\S", line)), None)
    below = lines[start + 1 : start + 3] if start is not None else []
    read = _READINGS.match(below[0]) if below else None
    first = lines[start] if start is not None else ""
    mig = re.search(r"(Enabled|Disabled)\*?\s*\|$", below[1]) if len(below) > 1 else None
    switched = re.search(r"\s(On|Off)\s*\|\s*[0-9A-Fa-f]{4,8}:", first)
    return msgspec.structs.replace(
        gpu,
        temperature_c=int(read["temperature"]) if read else None,
        performance_state=int(read["state"][1:]) if read and (read["state"] or "").startswith("P") else None,
        utilization_percent=int(read["busy"]) if read and read["busy"] else None,
        power=_power(read["draw"], read["limit"]) if read else None,
        compute_mode=_MODES.get(read["mode"]) if read else None,
        persistence=switched[1] == "On" if switched else None,
        mig_enabled=mig[1] == "Enabled" if mig else None,
        processes=_processes(gpu.index, lines) or None,
    )


def _power(draw: str | None, limit: str | None) -> Power | None:
    if draw is None and limit is None:
        return None
    return Power(draw=float(draw) if draw else None, limit=float(limit) if limit else None)


def _processes(index: int | None, lines: list[str]) -> tuple[GpuProcess, ...]:
    """The processes it lists; that it lists none says little, as in a container it sees none."""
    found = (match for line in lines if (match := _PROCESS.match(line)) and int(match["gpu"]) == index)
    return tuple(
        GpuProcess(
            pid=int(match["pid"]),
            name=re.split(r"[/\\]", match["name"])[-1],
            used_mib=whole_number(match["used"]),
            kind="graphics" if match["kind"] == "G" else "compute",
        )
        for match in found
    )


def _listing(text: Pasted) -> tuple[Fragment, ...]:
    gpus: dict[int, Gpu] = {}
    lines = []
    for number, line in text.filled:
        if "UUID" not in line and "GPU " not in line:
            continue
        listed, part = _LISTED.match(line), _MIG.match(line)
        if listed:
            gpus[int(listed[1])] = Gpu(
                vendor="nvidia",
                index=int(listed[1]),
                name=listed[2] or listed[4],
                uuid=listed[3],
                source=source(LISTING, number),
            )
        elif part and gpus:
            last = list(gpus)[-1]
            instances = (*(gpus[last].mig_instances or ()), MigInstance(uuid=part[2], name=f"MIG {part[1]}"))
            gpus[last] = msgspec.structs.replace(gpus[last], mig_enabled=True, mig_instances=instances)
        if listed or part:
            lines.append(number)
    return fragment(LISTING, lines, gpus=Gpus(devices=tuple(gpus.values()))) if gpus else ()


def _queries(text: Pasted) -> Iterator[Fragment]:
    """Rows under a header; or, without one, under the command line that names the columns."""
    for number, line in text.filled:
        asked = _ASKED.search(line) if "--query-gpu" in line else None
        if asked and "noheader" in line:
            yield from _rows(text, number, asked[1])
        elif _HEADER.match(line) and not asked:
            yield from _rows(text, number, _UNITS.sub("", line))


def _rows(text: Pasted, start: int, header: str) -> tuple[Fragment, ...]:
    columns = header.replace("gpu_name", "name").replace("gpu_bus_id", "pci.bus_id").replace("gpu_uuid", "uuid")
    wanted = columns.count(",")
    rows = []
    for line in text.lines[start : start + 64]:
        if line.count(",") != wanted or not line.strip():
            break
        rows.append(line.strip())
    csv = "\n".join((columns.strip(), *rows))
    where = source(QUERY, start)
    gpus = tuple(msgspec.structs.replace(gpu, source=where) for gpu in parse_csv(csv)) if rows else ()
    gpus = tuple(gpu for gpu in gpus if gpu.name)
    release = parse_release(csv) if rows else None
    return fragment(
        QUERY,
        range(start, start + len(rows) + 1),
        gpus=Gpus(devices=gpus) if gpus else None,
        driver=Driver(release=release, source=where) if release else None,
    )


def _failures(text: Pasted) -> Iterator[Fragment]:
    for number, line in text.filled:
        words = next(((words, code) for words, code in _FAILURES if words in line), None)
        if words is not None:
            name, meaning = nvml_code(words[1])
            count = 0 if words[1] == 0 else None
            answer = Answer(
                outcome="no-library" if words[1] == 12 else "answered",
                code=words[1],
                name=name,
                meaning=meaning,
                device_count=count,
                source=source(FAILURE, number),
            )
            yield from fragment(FAILURE, (number,), driver=Driver(nvml=answer))
        if "NVML library version" in line and (library := _LIBRARY.search(line)):
            found = DriverLibrary(
                name="libnvidia-ml.so.1", path="libnvidia-ml.so.1", release=DriverRelease.parse(library[1]), first=True
            )
            yield from fragment(FAILURE, (number,), driver=Driver(libraries=(found,)))
        if "device handle" in line and (lost := _HANDLE.search(line)):
            yield from fragment(FAILURE, (number,), gpus=Gpus(devices=(_lost(lost, number),)))


def _lost(match: re.Match[str], number: int) -> Gpu:
    code = {"GPU is lost": 15, "Not Found": 6}.get(match[2], 999)
    name, meaning = nvml_code(code)
    refusal = Refusal(call="nvmlDeviceGetHandleByPciBusId", code=code, name=name, meaning=meaning)
    return Gpu(vendor="nvidia", pci_bus_id=bus_id(match[1]), refusals=(refusal,), source=source(FAILURE, number))
