"""The CPU and main memory, from /proc and /sys."""

import re

from gpudoctor.facts.system import Cpu
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import text_of, word_of
from gpudoctor.sources.system import parse_cpuinfo

#: /proc/cpuinfo repeats itself for every processor; the first two are enough, and the kernel writes only what is read.
_FIRST_PROCESSORS = 8192


def read_cpu(host: Host) -> tuple[Cpu | None, bool | None]:
    """The processor, and whether it says that a hypervisor is under it (x86 only; None where it cannot say)."""
    text = text_of(host, "/proc/cpuinfo", limit=_FIRST_PROCESSORS)
    if not text:
        return None, None
    cpu, hypervisor = parse_cpuinfo(text)
    online = parse_cpu_list(word_of(host, "/sys/devices/system/cpu/online") or "")
    if online is None:
        whole = text_of(host, "/proc/cpuinfo") or text
        online = len(re.findall(r"^processor\s*:", whole, re.MULTILINE)) or None
    return Cpu(model=cpu.model, cores=online, flags=cpu.flags), hypervisor


def parse_cpu_list(text: str) -> int | None:
    """How many processors a list of the kernel names: "0-7,16-23" is 16. None where it is not such a list."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        return None
    spans = [part.partition("-") for part in text.split(",")]
    return sum(int(last or first) - int(first) + 1 for first, _, last in spans)


def parse_meminfo(text: str) -> tuple[int | None, int | None]:
    """(total, available) memory in bytes."""
    found = dict(re.findall(r"^(MemTotal|MemAvailable):\s*(\d+) kB", text, re.MULTILINE))
    total, available = found.get("MemTotal"), found.get("MemAvailable")
    return (int(total) * 1024 if total else None, int(available) * 1024 if available else None)


def parse_memlock(limits: str) -> int | None:
    """The soft RLIMIT_MEMLOCK in bytes, from /proc/self/limits; -1 is unlimited."""
    match = re.search(r"^Max locked memory\s+(\d+|unlimited)", limits, re.MULTILINE)
    if match is None:
        return None
    return -1 if match.group(1) == "unlimited" else int(match.group(1))
