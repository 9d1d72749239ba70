import random
import struct
from collections import Counter

import pytest

from gpudoctor.probes.fatbin import architectures, parse_sections, sample

CUBIN, PTX = 2, 1
ARCH_SPECIFIC, FAMILY_SPECIFIC = 0x100000, 0x200000


def entry(kind: int, arch: int, flags: int = 0x11, size: int = 40) -> bytes:
    return struct.pack("<HHIQ12xI8xI20x", kind, 0x101, 64, size, arch, flags) + bytes(size)


def container(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def elf(name: str, data: bytes) -> bytes:
    """A 64-bit ELF file with one section of that name."""
    names = b"\0" + name.encode() + b"\0.shstrtab\0"
    start, strings = 64, 64 + len(data)
    table = strings + len(names)
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 0, 0, 64, 3, 2
    )
    row = "<IIQQQQIIQQ"
    rows = bytes(64) + struct.pack(row, 1, 1, 2, 0, start, len(data), 0, 0, 8, 0)
    rows += struct.pack(row, len(name) + 2, 3, 0, 0, strings, len(names), 0, 0, 1, 0)
    return head + data + names + rows


def pe(data: bytes) -> bytes:
    """A Windows DLL with a section .nv_fatb."""
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)
    header = b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 0, 0)
    row = struct.pack("<8sIIIIIIHHI", b".nv_fatb", len(data), 0, len(data), 128, 0, 0, 0, 0, 0)
    return (head + header + row).ljust(128, b"\0") + data


def read_from(raw: bytes):
    return lambda offset, size: raw[offset : offset + size]


TORCH = container(entry(CUBIN, 80), entry(CUBIN, 90), entry(CUBIN, 90, ARCH_SPECIFIC), entry(PTX, 90))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (elf(".nv_fatbin", TORCH), {"sm_80": 1, "sm_90": 1, "sm_90a": 1, "compute_90": 1}),
        (elf("__nv_relfatbin", TORCH), {"sm_80": 1, "sm_90": 1, "sm_90a": 1, "compute_90": 1}),
        (pe(TORCH), {"sm_80": 1, "sm_90": 1, "sm_90a": 1, "compute_90": 1}),
        (elf(".nv_fatbin", container(entry(CUBIN, 103, FAMILY_SPECIFIC))), {"sm_103f": 1}),
        (elf(".nv_fatbin", container(entry(CUBIN, 75)) * 3), {"sm_75": 3}),
        (
            elf(".nv_fatbin", container(entry(CUBIN, 75)) + bytes(8) + container(entry(CUBIN, 86))),
            {"sm_75": 1, "sm_86": 1},
        ),
        (elf(".nv_fatbin", container(entry(7, 80))), {}),  # another kind of entry
        (elf(".nv_fatbin", b""), {}),
        (elf(".text", TORCH), {}),
        (b"", {}),
        (b"\x7fELF", {}),
        (b"MZ" + bytes(100), {}),
        (b"text", {}),
    ],
)
def test_sample(raw: bytes, expected: dict[str, int]) -> None:
    assert dict(sample(read_from(raw))) == expected


def test_reads_no_more_containers_than_asked() -> None:
    raw = elf(".nv_fatbin", container(entry(CUBIN, 75)) * 50)
    assert sample(read_from(raw), 10) == Counter(sm_75=10)


def test_a_long_section_is_not_read_as_a_whole() -> None:
    raw = elf(".nv_fatbin", container(entry(CUBIN, 75, size=1_000_000)) * 30)
    taken = 0

    def read(offset: int, size: int) -> bytes:
        nonlocal taken
        taken += size
        return raw[offset : offset + size]

    assert sample(read) == Counter(sm_75=24)
    assert taken < 100_000


@pytest.mark.parametrize("seed", range(300))
def test_damage_is_survived(seed: int) -> None:
    chance = random.Random(seed)
    raw = bytearray(elf(".nv_fatbin", TORCH * 3))
    for _ in range(8):
        raw[chance.randrange(len(raw))] = chance.randrange(256)
    sample(read_from(bytes(raw[: chance.randrange(len(raw))] if seed % 2 else raw)))


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        ({}, None),
        ({"sm_90": 4, "sm_80": 4}, ("sm_80", "sm_90")),
        ({"sm_80": 24, "sm_100": 24, "sm_90a": 1}, ("sm_80", "sm_100")),  # a few special kernels do not serve a GPU
        ({"sm_80": 10, "sm_86": 5, "sm_89": 4}, ("sm_80", "sm_86")),
        ({"compute_120": 24, "sm_120": 24, "sm_75": 24}, ("sm_75", "sm_120", "compute_120")),
        ({"sm_90a": 3}, ("sm_90a",)),
    ],
)
def test_architectures(counted: dict[str, int], expected: tuple[str, ...] | None) -> None:
    assert architectures(Counter(counted)) == expected


def test_sections_of_an_elf_file() -> None:
    assert parse_sections(read_from(elf(".nv_fatbin", b"12345678"))) == ((64, 8),)
