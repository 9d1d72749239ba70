"""Shared libraries of which only the headers are real: what they are called, what they need, where they look for it.

Layout: elf(5). Device code: a `.nv_fatbin` section with one container, as `gpudoctor.probes.fatbin` describes it.
"""

import re
import struct

_MACHINES = {"x86_64": 62, "aarch64": 183}
_NULL, _NEEDED, _STRTAB, _STRSZ, _SONAME, _RUNPATH = 0, 1, 5, 10, 14, 29
_PTX, _CUBIN = 1, 2


def library(
    soname: str,
    needed: tuple[str, ...] = (),
    *,
    runpath: tuple[str, ...] = (),
    archs: tuple[str, ...] = (),
    machine: str = "x86_64",
) -> bytes:
    """The bytes of a library; `archs` as sm_90 and compute_90."""
    strings, tags = b"\0", []
    for tag, text in [(_SONAME, soname), *((_NEEDED, name) for name in needed)]:
        tags.append((tag, len(strings)))
        strings += text.encode() + b"\0"
    if runpath:
        tags.append((_RUNPATH, len(strings)))
        strings += ":".join(runpath).encode() + b"\0"
    dynamic_at = 64 + 2 * 56
    strings_at = dynamic_at + 16 * (len(tags) + 3)
    tags += [(_STRTAB, strings_at), (_STRSZ, len(strings)), (_NULL, 0)]
    dynamic = b"".join(struct.pack("<QQ", *pair) for pair in tags)
    code_at = strings_at + len(strings)
    code = _device_code(archs) if archs else b""
    names = b"\0.shstrtab\0.nv_fatbin\0"
    names_at = code_at + len(code)
    sections_at = names_at + len(names)
    size = sections_at + 3 * 64
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, _MACHINES[machine], 1, 0, 64, sections_at, 0, 64, 56, 2, 64, 3, 1
    )
    segments = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, size, size, 4096)
    segments += struct.pack("<IIQQQQQQ", 2, 6, dynamic_at, dynamic_at, 0, len(dynamic), len(dynamic), 8)
    sections = bytes(64) + _section(1, names_at, len(names)) + _section(11, code_at, len(code))
    return head + segments + dynamic + strings + code + names + sections


def _section(name: int, offset: int, size: int) -> bytes:
    return struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, offset, size, 0, 0, 1, 0)


def _device_code(archs: tuple[str, ...]) -> bytes:
    entries = b""
    for arch in archs:
        kind, number = re.fullmatch(r"(sm|compute)_(\d+)", arch).groups()
        entries += struct.pack("<HHIQ12xI8xI", _CUBIN if kind == "sm" else _PTX, 1, 44, 0, int(number), 0)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries
