"""Variants of a library for newer processors, in glibc-hwcaps/<level> below each search directory (glibc 2.33)."""

from gpudoctor.host.port import Host
from gpudoctor.probes.reading import text_of

FOLDER = "glibc-hwcaps"

#: The levels of the x86-64 psABI, newest first, with what each adds, in /proc/cpuinfo's words.
_LEVELS = (
    ("x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    ("x86-64-v3", {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}),
    ("x86-64-v2", {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}),
)


def parse_levels(cpuinfo: str) -> tuple[str, ...]:
    """The levels this processor has, newest first; none on other processors."""
    line = next((line for line in cpuinfo.splitlines() if line.startswith("flags")), "")
    flags = set(line.partition(":")[2].split())
    levels: list[str] = []
    for name, wanted in reversed(_LEVELS):
        if not wanted <= flags:
            break
        levels.insert(0, name)
    return tuple(levels)


def read_levels(host: Host) -> tuple[str, ...]:
    """The levels of the processor of `host`."""
    return parse_levels(text_of(host, "/proc/cpuinfo", limit=16384) or "")
