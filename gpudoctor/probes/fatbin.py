"""Reads the GPU architectures compiled into a library, from its .nv_fatbin and __nv_relfatbin sections.

The sections are a row of containers, each with the kernels of one source file for every architecture. A few dozen of
them tell the set, so only their headers are read: some hundred small reads of a file that may have gigabytes.
The format is not documented by NVIDIA; it was the same from CUDA 10 to 13.2.
"""

import struct
from collections import Counter
from collections.abc import Callable, Iterator

#: Gives `size` bytes of the file at `offset`; fewer at its end, none where it cannot be read.
Read = Callable[[int, int], bytes]

SECTIONS = (".nv_fatbin", "__nv_relfatbin", ".nv_fatb")
_MAGIC = 0xBA55ED50
#: magic, version, header size, size of what follows.
_CONTAINER = struct.Struct("<IHHQ")
#: kind, version, header size, size of what follows, …, architecture, …, flags.
_ENTRY = struct.Struct("<HHIQ12xI8xI")
_PTX, _CUBIN = 1, 2
#: sm_90a runs on 9.0 only, sm_100f on its family. Seen in what nvcc 13.0 writes for these targets.
_SUFFIXES = {0x100000: "a", 0x200000: "f"}
_SUFFIX_MASK = 0x300000
_MOST_ENTRIES = 64
#: The linker aligns containers; this many bytes of padding are looked through.
_PADDING = 64


def parse_sections(read: Read) -> tuple[tuple[int, int], ...]:
    """(offset, size) of the sections with device code in an ELF or PE file; empty where there are none."""
    head = read(0, 4096)
    try:
        if head[:4] == b"\x7fELF" and head[4:6] == b"\x02\x01":
            return tuple(_elf_sections(read, head))
        if head[:2] == b"MZ":
            return tuple(_pe_sections(read, head))
    except struct.error:
        pass
    return ()


def _elf_sections(read: Read, head: bytes) -> Iterator[tuple[int, int]]:
    (table,) = struct.unpack_from("<Q", head, 40)
    size, count, names = struct.unpack_from("<3H", head, 58)
    rows = read(table, size * count)
    layout = struct.Struct("<I20xQQ")
    if size < layout.size or names >= count:
        return
    _, at, length = layout.unpack_from(rows, names * size)
    texts = read(at, min(length, 65536))
    for number in range(count):
        name, offset, stored = layout.unpack_from(rows, number * size)
        if texts[name : texts.find(b"\0", name)].decode("ascii", "replace") in SECTIONS:
            yield offset, stored


def _pe_sections(read: Read, head: bytes) -> Iterator[tuple[int, int]]:
    (start,) = struct.unpack_from("<I", head, 60)
    header = read(start, 24)
    if header[:4] != b"PE\0\0":
        return
    count, optional = struct.unpack("<6xH12xH2x", header)
    rows = read(start + 24 + optional, 40 * count)
    for number in range(count):
        name, stored, offset = struct.unpack_from("<8s8xII", rows, number * 40)
        if name.rstrip(b"\0").decode("ascii", "replace") in SECTIONS:
            yield offset, stored


def sample(read: Read, containers: int = 24) -> Counter[str]:
    """How many of the first containers hold each architecture: sm_80 (a cubin) or compute_90 (PTX)."""
    found: Counter[str] = Counter()
    left = containers
    for offset, size in parse_sections(read):
        at, end = offset, offset + size
        while left and at + _CONTAINER.size <= end:
            header = read(at, _CONTAINER.size)
            if len(header) < _CONTAINER.size:
                break
            magic, _, skip, length = _CONTAINER.unpack(header)
            if magic != _MAGIC:
                following = _next_container(read, at, end)
                if following is None:
                    break
                at = following
                continue
            found.update(_container(read, at + skip, min(at + skip + length, end)))
            at += skip + length
            left -= 1
    return found


def _next_container(read: Read, at: int, end: int) -> int | None:
    """Where the next container starts after padding."""
    place = read(at, min(_PADDING, end - at)).find(struct.pack("<I", _MAGIC))
    return at + place if place > 0 else None


def _container(read: Read, at: int, end: int) -> set[str]:
    """The architectures in one container."""
    found: set[str] = set()
    for _ in range(_MOST_ENTRIES):
        header = read(at, _ENTRY.size) if at + _ENTRY.size <= end else b""
        if len(header) < _ENTRY.size:
            break
        kind, _, skip, length, arch, flags = _ENTRY.unpack(header)
        if kind in {_PTX, _CUBIN} and 10 <= arch < 1000:
            suffix = _SUFFIXES.get(flags & _SUFFIX_MASK, "")
            found.add(f"{'sm' if kind == _CUBIN else 'compute'}_{arch}{suffix}")
        if not skip:
            break
        at += skip + length
    return found


def architectures(counted: Counter[str]) -> tuple[str, ...] | None:
    """Those that at least half as many kernels have as the commonest one; None where none was seen.

    A few kernels are also built for special architectures (sm_90a); a GPU that finds
    only those in a library cannot use the rest of it.
    """
    if not counted:
        return None
    most = max(counted.values())
    kept = [name for name, number in counted.items() if 2 * number >= most]
    return tuple(sorted(kept, key=lambda name: (name.startswith("compute"), len(name.rstrip("af")), name)))
