"""Output of nvidia-smi -q, as text and as XML."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus, PcieLink, Power, RowRemaps
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.sources.nvidia_smi import flag_of, mode_of, number_of, whole_of
from gpudoctor.sources.pci import bus_id
from gpudoctor.tickets.fragment import Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

FORM = "nvidia-smi -q"

_START = re.compile(r"^\s*=+NVSMI LOG=+\s*$|^\s*<nvidia_smi_log>")
_GPU = re.compile(r"^(\s*)(?:GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)$|<gpu id=\"([^\"]+)\">)")
_TEXT = re.compile(r"^(\s*)([A-Za-z][^:]*?)\s*(?::\s+(.*))?$")
_XML = re.compile(r"^\s*<(\w+)(?: [^>]*)?>([^<]*)(</\1>)?\s*$")
_VIRTUAL = {
    "none": "none",
    "pass-through": "passthrough",
    "vgpu": "vgpu",
    "host vgpu": "host-vgpu",
    "host vsga": "host-vsga",
}
#: XML's names where they are not the text's with underscores: (text, XML).
_OTHER_NAMES = {
    "uuid": "gpu uuid",
    "current mig": "current",
    "current ecc": "current",
    "total": "total",
    "gpu temp": "gpu current temp",
    "pci bus id": "bus id",
    "pci device id": "device id",
    "instant power draw": "power draw",
    "current power limit": "power limit",
    "gpu link info": "gpu link info",
}


def parse_smi_query(text: Pasted) -> tuple[Fragment, ...]:
    """Every such report in the text."""
    starts = [number for number, _ in text.matches(_START)]
    return tuple(one for start, end in pairwise((*starts, len(text.lines) + 1)) for one in _report(text, start, end))


def _report(text: Pasted, start: int, end: int) -> tuple[Fragment, ...]:
    is_xml = "<" in text.lines[start - 1]
    tree: dict[str, str] = {}
    gpus: list[Gpu] = []
    current: tuple[int, str, dict[str, str]] | None = None
    used = []
    for number, path, value in _entries(text, start, end, is_xml=is_xml):
        used.append(number)
        if path == "gpu":
            if current:
                gpus.append(_gpu(current[1], current[2], source(FORM, current[0])))
            current = (number, value, {})
        else:
            (current[2] if current else tree).setdefault(path, value)
    if current:
        gpus.append(_gpu(current[1], current[2], source(FORM, current[0])))
    release = DriverRelease.parse(tree.get("driver version"))
    return fragment(
        FORM,
        used,
        driver=Driver(release=release, cuda=CudaVersion.parse(tree.get("cuda version")), source=source(FORM, start))
        if release
        else None,
        gpus=Gpus(devices=tuple(_numbered(gpus))) if gpus else None,
    )


def _numbered(gpus: list[Gpu]) -> Iterator[Gpu]:
    """They come in NVML's order."""
    for index, gpu in enumerate(gpus):
        yield msgspec.structs.replace(gpu, index=index)


def _entries(text: Pasted, start: int, end: int, *, is_xml: bool) -> Iterator[tuple[int, str, str]]:
    """(line, path in lower case words, value); a GPU begins with ("gpu", its address)."""
    stack: list[tuple[int, str]] = []
    for number in range(start + 1, end):
        line = text.lines[number - 1]
        gpu = _GPU.match(line)
        if gpu:
            stack.clear()
            yield number, "gpu", gpu[2] or gpu[3]
        elif line.strip():
            entry = _xml_entry(line, stack) if is_xml else _text_entry(line, stack)
            if entry is _END:
                return
            if entry:
                yield number, *entry


_END = ("", "")


def _xml_entry(line: str, stack: list[tuple[int, str]]) -> tuple[str, str] | None:
    """The entry of a line; None for one that only opens or closes a part."""
    match = _XML.match(line)
    if match is None:
        closed = re.match(r"^\s*</(\w+)>", line)
        if closed and stack and stack[-1][1] == _words(closed[1]):
            stack.pop()
        return _END if closed and closed[1] == "nvidia_smi_log" else None
    name = _words(match[1])
    if not match[3]:
        stack.append((0, name))
        return None
    return _path(stack, _OTHER_NAMES.get(name, name)), match[2].strip()


def _text_entry(line: str, stack: list[tuple[int, str]]) -> tuple[str, str] | None:
    match = _TEXT.match(line)
    if match is None:
        return None if ":" in line else _END
    depth = len(match[1])
    while stack and stack[-1][0] >= depth:
        stack.pop()
    if match[3] is None:
        stack.append((depth, match[2].lower()))
        return None
    return _path(stack, match[2].lower()), match[3].strip()


def _path(stack: list[tuple[int, str]], name: str) -> str:
    return " / ".join((*(part for _, part in stack), name))


def _words(tag: str) -> str:
    return tag.replace("_", " ").lower()


def _gpu(address: str, tree: dict[str, str], where: Source) -> Gpu:
    def get(*endings: str) -> str | None:
        """The value whose path ends so; none where it has none."""
        for ending in endings:
            for path, value in tree.items():
                if (path == ending or path.endswith(f" / {ending}")) and value not in ("", "N/A", "[N/A]", "None"):
                    return value
        return None

    number = re.match(r"0x([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})$", get("pci / device id", "device id") or "")
    state = re.match(r"P(\d+)", get("performance state") or "")
    virtual = get("gpu virtualization mode / virtualization mode", "virtualization mode") or ""
    return Gpu(
        vendor="nvidia",
        name=get("product name"),
        uuid=get("gpu uuid"),
        pci_bus_id=bus_id(address),
        pci_id=f"{number[2]}:{number[1]}".lower() if number else None,
        architecture=get("product architecture"),
        memory_total_mib=whole_of(get("fb memory usage / total")),
        memory_used_mib=whole_of(get("fb memory usage / used")),
        persistence=flag_of(get("persistence mode")),
        display_active=flag_of(get("display active")),
        mig_enabled=flag_of(get("mig mode / current")),
        ecc_enabled=flag_of(get("ecc mode / current")),
        compute_mode=mode_of(get("compute mode")),
        virtualization=_VIRTUAL.get(virtual.lower()),  # type: ignore[arg-type]
        temperature_c=whole_of(get("gpu current temp")),
        temperature_slowdown_c=whole_of(get("gpu slowdown temp", "gpu temp slow threshold")),
        temperature_max_operating_c=whole_of(get("gpu max operating temp", "gpu temp max gpu threshold")),
        performance_state=int(state[1]) if state else None,
        pcie=_pcie(get),
        power=_power(get),
        ecc_uncorrected_volatile=whole_of(get("volatile / dram uncorrectable", "volatile / double bit / total")),
        ecc_uncorrected_aggregate=whole_of(get("aggregate / dram uncorrectable", "aggregate / double bit / total")),
        row_remaps=_remaps(get),
        source=where,
    )


def _pcie(get: Any) -> PcieLink | None:
    link = PcieLink(
        generation=whole_of(get("pcie generation / current", "pcie gen / current link gen")),
        generation_max=whole_of(get("pcie generation / max", "pcie gen / max link gen")),
        width=whole_of(get("link width / current", "link widths / current link width")),
        width_max=whole_of(get("link width / max", "link widths / max link width")),
    )
    return link if link != PcieLink() else None


def _power(get: Any) -> Power | None:
    power = Power(
        draw=number_of(get("average power draw", "power draw")),
        limit=number_of(get("power readings / current power limit", "power limit")),
        default_limit=number_of(get("default power limit")),
        minimum=number_of(get("min power limit")),
        maximum=number_of(get("max power limit")),
    )
    return power if power != Power() else None


def _remaps(get: Any) -> RowRemaps | None:
    remaps = RowRemaps(
        correctable=whole_of(get("remapped rows / correctable error")),
        uncorrectable=whole_of(get("remapped rows / uncorrectable error")),
        pending=flag_of(get("remapped rows / pending")),
        failed=flag_of(get("remapped rows / remapping failure occurred")),
    )
    return remaps if remaps != RowRemaps() else None
