"""Output of nvidia-smi: its table, `-L`, `--query-gpu`, and its errors."""

from collections.abc import Iterator
from itertools import pairwise

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Answer, Driver, DriverLibrary
from gpudoctor.facts.gpus import Gpu, Gpus, MigInstance, Refusal
from gpudoctor.facts.system import Container, System, Wsl
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.sources.nvidia_codes import nvml_code
from gpudoctor.sources.nvidia_smi import parse_csv, parse_failure, parse_lost_gpu, parse_release
from gpudoctor.sources.nvidia_smi_table import parse_banner, parse_table
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
_LISTED = re.compile(
    r"^\s*GPU (\d+): (?:(\S.*?) \(UUID: (GPU-[0-9a-fA-F-]+)\)"
    r"|((?:NVIDIA|GeForce|Tesla|Quadro|TITAN) [\w .-]{2,40}?)\s*$)"
)
_MIG = re.compile(r"^\s*MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[^)]+)\)")
_ASKED = re.compile(r"--query-gpu[= ]['\"]?([\w.,]+)['\"]?.*?(?:noheader|$)")
_HEADER = re.compile(
    r"^\s*(?:index|name|gpu_name|uuid|driver_version|timestamp|count|compute_cap|memory\.\w+|pci\.\w+)\b.*,"
)
_UNITS = re.compile(r" \[(?:MiB|W|%|MHz)\]")

_LIBRARY = re.compile(r"NVML library version:\s*(\d+\.[\d.]*\d)")


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
    gpus = parse_table(text, where)
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
        gpus=Gpus(devices=gpus) if gpus else None,
        host=System(os="windows" if on_windows else "linux") if known else None,
        container=Container(wsl=Wsl(version=2)) if is_wsl and not on_windows else None,
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
        code = parse_failure(line)
        if code is not None:
            name, meaning = nvml_code(code)
            count = 0 if code == 0 else None
            answer = Answer(
                outcome="no-library" if code == 12 else "answered",
                code=code,
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
        if lost := parse_lost_gpu(line):
            yield from fragment(FAILURE, (number,), gpus=Gpus(devices=(_lost(*lost, number),)))


def _lost(address: str | None, code: int, number: int) -> Gpu:
    name, meaning = nvml_code(code)
    refusal = Refusal(call="nvmlDeviceGetHandleByPciBusId", code=code, name=name, meaning=meaning)
    return Gpu(vendor="nvidia", pci_bus_id=address, refusals=(refusal,), source=source(FAILURE, number))
