"""Follows the dynamic loader's library search by ELF headers, loading nothing: ld.so(8), glibc elf/dl-load.c.

A `Process` is what one interpreter would have mapped: what it opens first decides what later requests get, because a
name that is already there is not searched again.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal

from gpudoctor.host.paths import library_folders
from gpudoctor.probes.elf import Elf
from gpudoctor.probes.loader.machine import Machine

Via = Literal["rpath", "LD_LIBRARY_PATH", "runpath", "cache", "default", "loaded", "path"]
How = Literal["linked", "opened"]

#: The interpreter has these already, or they come with the loader itself: never a reason for a GPU not to be used.
ALWAYS_THERE = frozenset(
    (
        *("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libgcc_s.so.1"),
        *("ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "linux-vdso.so.1"),
    )
)
_MOST_LIBRARIES = 2000


class Library:
    """A file that is mapped. `linked_by` is the library that is linked to it; None for what was opened at run time."""

    __slots__ = ("elf", "linked_by", "origin", "path", "via")

    def __init__(self, path: str, elf: Elf, via: Via, linked_by: "Library | None") -> None:
        self.path = path
        self.elf = elf
        self.via: Via = via
        self.linked_by = linked_by
        self.origin = posixpath.dirname(path)


class Request:
    """A name that was asked for, by whom (None: the program), and what was found (None: nothing).

    `unusable`: a file of that name that was looked at and is no ELF file.
    """

    __slots__ = ("by", "how", "library", "name", "unusable")

    def __init__(self, name: str, by: Library | None, how: How, library: Library | None, unusable: str | None) -> None:
        self.name = name
        self.unusable = unusable
        self.by = by
        self.how: How = how
        self.library = library


class Process:
    """What one program would have mapped. `requests` lists all that was asked for, in order, each name once."""

    def __init__(self, machine: Machine, program: str, env: Mapping[str, str] | None = None) -> None:
        self._machine = machine
        self._program = program
        self._env = machine.host.env if env is None else env
        path = machine.real(program)
        elf = machine.elf(path)
        #: None where the program is no ELF file that we may read: then it contributes no search path.
        self.program = None if elf is None else Library(path, elf, "path", None)
        self._by_name: dict[str, Library] = {}
        self._unusable: dict[str, str] = {}
        self.requests: dict[str, Request] = {}
        if self.program is not None:
            self._link([self.program])
            for name in self._env.get("LD_PRELOAD", "").replace(":", " ").split():
                self.open(name, self.program)

    def afresh(self) -> "Process":
        """Another process of the same program, with nothing opened yet."""
        return Process(self._machine, self._program, self._env)

    @property
    def paths(self) -> frozenset[str]:
        """The files that are mapped."""
        return frozenset(library.path for library in self._by_name.values())

    def open(self, name: str, by: Library | None = None) -> Library | None:
        """dlopen(3) of a name or path, called from `by` (None: the program); what it needs is mapped too."""
        caller = by or self.program
        before = self._by_name.get(name)
        library = before or self._map(name, caller)
        shown = posixpath.basename(name)
        self.requests.setdefault(shown, Request(shown, by, "opened", library, self._unusable.get(shown)))
        if library is not None and before is None:
            # The RPATH of whoever calls dlopen serves to find the file itself, not what that file needs in turn.
            library.linked_by = None
            self._link([library])
        return library

    def lacks(self, library: Library) -> tuple[str, ...]:
        """The names that a mapped library is linked to and that are not mapped."""
        return tuple(name for name in library.elf.needed if name not in ALWAYS_THERE and name not in self._by_name)

    def find(self, name: str, by: Library | None = None) -> Library | None:
        """What `by` (None: the program itself) would get for `name`, without mapping it."""
        return self._search(name, by or self.program)

    def _link(self, waiting: list[Library]) -> None:
        """Map what the libraries need, breadth first."""
        while waiting and len(self._by_name) < _MOST_LIBRARIES:
            library = waiting.pop(0)
            for name in library.elf.needed:
                if name in ALWAYS_THERE:
                    continue
                found = self._by_name.get(name)
                if found is None:
                    found = self._map(name, library)
                    if found is not None:
                        waiting.append(found)
                self.requests.setdefault(name, Request(name, library, "linked", found, self._unusable.get(name)))

    def _map(self, name: str, by: Library | None) -> Library | None:
        found = self._at_path(name, by) if "/" in name else self._search(name, by)
        if found is None:
            return None
        found = self._by_name.get(found.path, found)
        for known in (name, found.path, found.elf.soname):
            if known:
                self._by_name.setdefault(known, found)
        return found

    def _at_path(self, path: str, by: Library | None) -> Library | None:
        elf = self._machine.elf(path)
        if elf is None:
            self._note_unusable(path)
        fits = elf is not None and (by is None or _same_kind(elf, by.elf))
        return Library(path, elf, "path", by) if fits and elf is not None else None

    def _search(self, name: str, by: Library | None) -> Library | None:
        """The first file of that name for the asker's processor and word size; the loader passes over others."""
        if by is None:
            return None
        for via, path in self._candidates(name, by):
            elf = self._machine.elf(path)
            if elf is None:
                self._note_unusable(path)
            elif _same_kind(elf, by.elf):
                return Library(path, elf, via, by)
        return None

    def _note_unusable(self, path: str) -> None:
        folder, name = posixpath.split(path)
        if self._machine.has(folder, name):
            self._unusable.setdefault(name, path)

    def _candidates(self, name: str, by: Library) -> Iterator[tuple[Via, str]]:
        """The files of that name where the loader looks for what `by` asks, in its order."""
        if not by.elf.runpath:
            yield from self._in("rpath", self._rpath(by), name)
        yield from self._in("LD_LIBRARY_PATH", self._environment, name)
        yield from self._in("runpath", self._expanded(by.elf.runpath, by), name)
        if not by.elf.no_default_dirs:
            yield from (("cache", path) for path in self._machine.cache.get(name, ()))
            yield from self._in("default", self._machine.default_directories(by.elf), name)

    def _in(self, via: Via, directories: Iterable[str], name: str) -> Iterator[tuple[Via, str]]:
        for directory in directories:
            for variant in self._machine.variants(directory):
                if self._machine.has(variant, name):
                    yield via, f"{variant}/{name}"

    def _rpath(self, by: Library) -> Iterator[str]:
        """RPATH of the asker, of whoever had it mapped, and so on up, and of the program."""
        asker: Library | None = by
        while asker is not None and asker is not self.program:
            yield from self._expanded(asker.elf.rpath, asker)
            asker = asker.linked_by
        if self.program is not None:
            yield from self._expanded(self.program.elf.rpath, self.program)

    @cached_property
    def _environment(self) -> tuple[str, ...]:
        """LD_LIBRARY_PATH."""
        host, name = self._machine.host, "LD_LIBRARY_PATH"
        is_ours = self._env.get(name) == host.env.get(name)
        folders = host.library_path if is_ours else library_folders(self._env)
        if self.program is None:
            # Tokens ($ORIGIN, $LIB) are of the program, which could not be read.
            return tuple(folder for folder in folders if "$" not in folder)
        return self._expanded(folders, self.program)

    def _expanded(self, path: tuple[str, ...], of: Library) -> tuple[str, ...]:
        return tuple(self._machine.expand(text, of.origin, of.elf) for text in path)


def _same_kind(first: Elf, second: Elf) -> bool:
    return (first.bits, first.machine) == (second.bits, second.machine)
