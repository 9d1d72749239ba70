"""Reads ELF headers: class, machine, needed libraries, search paths, symbol versions.

Only the headers and the dynamic section are read, a few kilobytes of a file that may have gigabytes. Layout: elf(5).
"""

import struct
from collections.abc import Callable, Iterator

from gpudoctor.facts.base import Fact
from gpudoctor.host.port import Host

#: Gives `size` bytes of the file at `offset`; fewer at its end, none where it cannot be read.
Read = Callable[[int, int], bytes]

MACHINES = {3: "i386", 21: "ppc64", 22: "s390x", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv"}

_PT_LOAD, _PT_DYNAMIC = 1, 2
_NEEDED, _STRTAB, _STRSZ, _SONAME, _RPATH, _RUNPATH = 1, 5, 10, 14, 15, 29
_FLAGS_1, _VERDEF, _VERDEFNUM, _VERNEED, _VERNEEDNUM = 0x6FFFFFFB, 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
_NODEFLIB = 0x800
#: More than any real file has; what claims more is damaged.
_MOST_ENTRIES = 4096
_PAGE = 4096
_LONGEST_STRING = 256 * 1024
_MOST_STRINGS = 8 * 1024 * 1024


class Elf(Fact, frozen=True, kw_only=True):
    """The dynamic section of an executable or shared library. Search paths as they stand in it, not expanded."""

    bits: int
    machine: str
    soname: str | None = None
    needed: tuple[str, ...] = ()
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()
    #: Linked with -z nodeflib: the default directories are not searched.
    no_default_dirs: bool = False


class Damaged(ValueError):
    """The file says it is ELF, and its headers make no sense."""


def parse_elf(read: Read) -> Elf | None:
    """The dynamic section of the file behind `read`; None where it is no (sound) ELF file."""
    try:
        image = _Image(read)
        return image.describe()
    except (Damaged, struct.error):
        return None


def parse_defined_versions(read: Read) -> tuple[str, ...]:
    """The symbol versions a library defines: GLIBCXX_3.4.30, CXXABI_1.3.13 …; empty where there are none."""
    try:
        return tuple(_Image(read).defined_versions())
    except (Damaged, struct.error):
        return ()


def parse_needed_versions(read: Read) -> dict[str, tuple[str, ...]]:
    """The symbol versions a file needs, by the library they come from: {"libc.so.6": ("GLIBC_2.28", …)}."""
    try:
        return dict(_Image(read).needed_versions())
    except (Damaged, struct.error):
        return {}


def parse_strings(read: Read) -> bytes:
    """The names in the dynamic section, mostly of symbols, with NUL bytes between; empty where there are none."""
    try:
        return _Image(read).strings()
    except (Damaged, struct.error):
        return b""


def reader(host: Host, path: str) -> Read:
    """A `Read` of a file on `host`."""

    def read(offset: int, size: int) -> bytes:
        raw = host.read_range(path, offset, size)
        return raw if isinstance(raw, bytes) else b""

    return read


def read_elf(host: Host, path: str) -> Elf | None:
    """`parse_elf` of a file on `host`."""
    return parse_elf(reader(host, path))


class _Image:
    """Headers of one file, and its tables read page by page."""

    def __init__(self, read: Read) -> None:
        self._read = read
        head = read(0, _PAGE)
        self._pages = {0: head}
        if len(head) < 52 or head[:4] != b"\x7fELF" or head[4] not in {1, 2} or head[5] not in {1, 2}:
            raise Damaged
        self.bits = 64 if head[4] == 2 else 32
        self._order = "<" if head[5] == 1 else ">"
        (machine,) = struct.unpack_from(self._order + "H", head, 18)
        self.machine = MACHINES.get(machine, str(machine))
        self._segments = list(self._parse_segments(head))
        self._tags = list(self._parse_dynamic())
        self._first = dict(reversed(self._tags))
        strings = self._first.get(_STRTAB)
        self._strings = None if strings is None else self._offset_of(strings)
        self._strings_size = self._first.get(_STRSZ, 0)

    def describe(self) -> Elf:
        """The facts of the file."""
        soname = self._first.get(_SONAME)
        runpath = self._path(_RUNPATH)
        return Elf(
            bits=self.bits,
            machine=self.machine,
            soname=None if soname is None else self._text(soname),
            needed=tuple(self._text(value) for tag, value in self._tags if tag == _NEEDED),
            # "If DT_RUNPATH is given, DT_RPATH is ignored": ld.so(8).
            rpath=() if _RUNPATH in self._first else self._path(_RPATH),
            runpath=runpath,
            no_default_dirs=bool(self._first.get(_FLAGS_1, 0) & _NODEFLIB),
        )

    def defined_versions(self) -> Iterator[str]:
        """Names in .gnu.version_d; the first is the file's own name and is left out."""
        at = self._offset_of(self._first[_VERDEF]) if _VERDEF in self._first else None
        for number in range(min(self._first.get(_VERDEFNUM, 0), _MOST_ENTRIES) if at is not None else 0):
            assert at is not None
            aux, following = struct.unpack(self._order + "12x2I", self._exactly(at, 20))
            (name,) = struct.unpack(self._order + "I", self._exactly(at + aux, 4))
            if number:
                yield self._text(name)
            at += following

    def needed_versions(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """File and version names in .gnu.version_r."""
        at = self._offset_of(self._first[_VERNEED]) if _VERNEED in self._first else None
        for _ in range(min(self._first.get(_VERNEEDNUM, 0), _MOST_ENTRIES) if at is not None else 0):
            assert at is not None
            count, file, aux, following = struct.unpack(self._order + "2xH3I", self._exactly(at, 16))
            names, where = [], at + aux
            for _ in range(min(count, _MOST_ENTRIES)):
                name, step = struct.unpack(self._order + "8x2I", self._exactly(where, 16))
                names.append(self._text(name))
                where += step
            yield self._text(file), tuple(names)
            at += following

    def strings(self) -> bytes:
        """The string table, up to a size that no real file's goes beyond by much."""
        return b"" if self._strings is None else self._read(self._strings, min(self._strings_size, _MOST_STRINGS))

    def _parse_segments(self, head: bytes) -> Iterator[tuple[int, int, int, int]]:
        """(type, file offset, address, size in the file) of each program header."""
        wide = self.bits == 64
        (table,) = struct.unpack_from(self._order + ("Q" if wide else "I"), head, 32 if wide else 28)
        size, count = struct.unpack_from(self._order + "2H", head, 54 if wide else 42)
        # Elf64_Phdr: type, flags, offset, vaddr, paddr, filesz; Elf32_Phdr: type, offset, vaddr, paddr, filesz.
        layout = struct.Struct(self._order + ("I4xQQ8xQ" if wide else "III4xI"))
        if size < layout.size or count > _MOST_ENTRIES:
            raise Damaged
        raw = head[table : table + size * count]
        if len(raw) < size * count:
            raw = self._exactly(table, size * count)
        for number in range(count):
            kind, offset, address, stored = layout.unpack_from(raw, number * size)
            yield kind, offset, address, stored

    def _parse_dynamic(self) -> Iterator[tuple[int, int]]:
        pair = struct.Struct(self._order + ("qQ" if self.bits == 64 else "iI"))
        for kind, offset, _, stored in self._segments:
            if kind != _PT_DYNAMIC:
                continue
            raw = self._read(offset, min(stored, _MOST_ENTRIES * pair.size))
            for tag, value in pair.iter_unpack(raw[: len(raw) // pair.size * pair.size]):
                if tag == 0:
                    return
                yield tag & 0xFFFFFFFF, value

    def _offset_of(self, address: int) -> int:
        for kind, offset, start, stored in self._segments:
            if kind == _PT_LOAD and start <= address < start + stored:
                return address - start + offset
        raise Damaged

    def _path(self, tag: int) -> tuple[str, ...]:
        """A search path without its repetitions (TensorFlow's names the same twenty folders six hundred times)."""
        value = self._first.get(tag)
        return () if value is None else tuple(dict.fromkeys(self._text(value).split(":")))

    def _text(self, position: int) -> str:
        """The string at `position` of the string table."""
        if self._strings is None or position >= self._strings_size:
            raise Damaged
        at, parts, length = self._strings + position, [], 0
        while length < _LONGEST_STRING:
            page = self._page(at // _PAGE)
            piece, ended, _ = page[at % _PAGE :].partition(b"\0")
            parts.append(piece)
            if ended or len(page) < _PAGE:
                return b"".join(parts).decode("utf-8", "surrogateescape")
            length += len(piece)
            at += len(piece)
        raise Damaged

    def _page(self, number: int) -> bytes:
        if number not in self._pages:
            self._pages[number] = self._read(number * _PAGE, _PAGE)
        return self._pages[number]

    def _exactly(self, offset: int, size: int) -> bytes:
        number, begin = divmod(offset, _PAGE)
        raw = self._page(number)[begin : begin + size] if begin + size <= _PAGE else self._read(offset, size)
        if len(raw) != size:
            raise Damaged
        return raw
