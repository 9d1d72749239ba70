"""The file system as the dynamic loader sees it: directories, ELF headers, ld.so.cache, each read once."""

import posixpath
from collections.abc import Iterator
from functools import cached_property

from gpudoctor.facts.base import Gap
from gpudoctor.host.port import Host
from gpudoctor.probes.elf import Elf, read_elf
from gpudoctor.probes.host_files import exists, text_of
from gpudoctor.probes.loader.cache import configured_directories, read_cache

_TRIPLETS = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu", "i386": "i386-linux-gnu"}


class Machine:
    """What all processes share: directories and headers, each read once, and the loader's cache."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._names: dict[str, frozenset[str] | None] = {}
        self._elves: dict[str, Elf | None] = {}
        self._parents: dict[str, str] = {}
        self._real: dict[str, str] = {}
        self._lib: dict[str, str] = {}

    def names(self, directory: str) -> frozenset[str] | None:
        """The names in a directory; None where it may not be listed."""
        if directory not in self._names:
            names = self.host.list(directory)
            self._names[directory] = None if isinstance(names, Gap) else frozenset(names or ())
        return self._names[directory]

    def has(self, directory: str, name: str) -> bool:
        """`name` is in `directory`. A folder that may be searched but not listed (mode 711) is asked file by file."""
        names = self.names(directory)
        return exists(self.host, f"{directory}/{name}") if names is None else name in names

    def real(self, path: str) -> str:
        """`path` with its links resolved."""
        if path not in self._real:
            self._real[path] = self.host.real(path)
        return self._real[path]

    def elf(self, path: str) -> Elf | None:
        """The headers of a file."""
        if path not in self._elves:
            self._elves[path] = read_elf(self.host, path)
        return self._elves[path]

    @cached_property
    def cache(self) -> dict[str, tuple[str, ...]]:
        """The loader's cache; without a readable one, nothing."""
        return read_cache(self.host) or {}

    @cached_property
    def _levels(self) -> tuple[str, ...]:
        return read_levels(self.host)

    def variants(self, directory: str) -> Iterator[str]:
        """Where the loader looks for what `directory` holds: folders for this processor first."""
        if FOLDER in (self.names(directory) or ()):
            yield from (f"{directory}/{FOLDER}/{level}" for level in self._levels)
        yield directory

    def default_directories(self, elf: Elf) -> tuple[str, ...]:
        """Where the loader looks last. Without a cache, what ld.so.conf names stands in for it."""
        triplet = _TRIPLETS.get(elf.machine)
        multiarch = (f"/lib/{triplet}", f"/usr/lib/{triplet}") if triplet else ()
        wide = ("/lib64", "/usr/lib64") if elf.bits == 64 else ()
        configured = () if self.cache else configured_directories(self.host)
        return (*configured, *multiarch, *wide, "/lib", "/usr/lib")

    def expand(self, text: str, origin: str, elf: Elf) -> str:
        """A search directory with $ORIGIN, $LIB and $PLATFORM put in; an empty one is the current directory."""
        if "$" in text:
            for name, value in (("ORIGIN", origin), ("LIB", self._lib_of(elf)), ("PLATFORM", elf.machine)):
                text = text.replace(f"${{{name}}}", value).replace(f"${name}", value)
        if not text.startswith("/"):
            text = posixpath.join(self.host.cwd, text)
        return self._without_parents(text) if "/.." in text else posixpath.normpath(text)

    def _without_parents(self, path: str) -> str:
        """`path` with `..` taken out as the kernel does: above the target of a link, not above the link."""
        if path not in self._parents:
            done = ""
            for part in path.split("/"):
                if part == "..":
                    done = (self.real(done) if self.host.link(done) else done).rpartition("/")[0]
                elif part not in {"", "."}:
                    done += "/" + part
            self._parents[path] = done or "/"
        return self._parents[path]

    def _lib_of(self, elf: Elf) -> str:
        """What $LIB stands for: Debian's multiarch folder where there is one, else lib64 or lib."""
        if elf.machine not in self._lib:
            triplet = _TRIPLETS.get(elf.machine, "")
            multiarch = triplet and exists(self.host, f"/lib/{triplet}")
            self._lib[elf.machine] = f"lib/{triplet}" if multiarch else "lib64" if elf.bits == 64 else "lib"
        return self._lib[elf.machine]


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
