"""A host that notes every question and answer, so that the machine can be asked again later, elsewhere."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

import msgspec

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import Space
from gpudoctor.host.machine import Command, Machine, Piece, as_text
from gpudoctor.host.paths import resolve
from gpudoctor.host.port import READ_LIMIT, Host, Ran, Stat

if TYPE_CHECKING:
    from gpudoctor.host.watch import Watch

_T = TypeVar("_T")


class RecordingHost:
    """Passes questions on to `host` and keeps what it answered. Absence is kept by keeping nothing."""

    def __init__(self, host: Host) -> None:
        self.platform: str = host.platform
        self.env: Mapping[str, str] = host.env
        self.cwd: str = host.cwd
        self._host = host
        self._files: dict[str, bytes] = {}
        self._pieces: dict[str, tuple[Piece, ...]] = {}
        self._gaps: dict[str, str] = {}
        self._links: dict[str, str] = {}
        self._directories: dict[str, tuple[str, ...]] = {}
        self._stats: dict[str, Stat] = {}
        self._spaces: dict[str, Space] = {}
        self._unopenable: dict[str, str] = {}
        self._unwritable: dict[str, str] = {}
        self._programs: dict[str, str] = {}
        self._commands: dict[tuple[str, ...], Ran] = {}

    def machine(self, env: Mapping[str, str]) -> Machine:
        """What was asked and answered, with `env` for its environment: never all of it, which may hold secrets."""
        texts = {path: as_text(raw) for path, raw in self._files.items()}
        return Machine(
            platform=self.platform,
            cwd=self.cwd,
            env=dict(env),
            files={path: text for path, text in texts.items() if text is not None},
            binaries={path: raw for path, raw in self._files.items() if texts[path] is None},
            pieces=dict(self._pieces),
            gaps=dict(self._gaps),
            links=dict(self._links),
            directories=dict(self._directories),
            stats=dict(self._stats),
            spaces=dict(self._spaces),
            unopenable=dict(self._unopenable),
            unwritable=dict(self._unwritable),
            programs=dict(self._programs),
            commands=tuple(Command.of(ran) for ran in self._commands.values()),
        )

    @property
    def library_path(self) -> tuple[str, ...]:
        """Those that are there."""
        return self._host.library_path

    def read(self, path: str, *, limit: int = READ_LIMIT) -> bytes | Gap | None:
        """Asked and noted; a file longer than `limit` is noted as a piece."""
        raw = self._noted_unreadable(path, self._host.read(path, limit=limit))
        if isinstance(raw, bytes) and len(raw) >= limit:
            self._note_piece(path, Piece(offset=0, data=raw))
        elif isinstance(raw, bytes):
            self._files[path] = raw
        return raw

    def read_text(self, path: str, *, limit: int = READ_LIMIT) -> str | Gap | None:
        """Asked and noted as `read`."""
        raw = self.read(path, limit=limit)
        return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw

    def read_range(self, path: str, offset: int, size: int) -> bytes | Gap | None:
        """Asked and noted, with the file's size, by which its end is known later."""
        raw = self._noted_unreadable(path, self._host.read_range(path, offset, size))
        if isinstance(raw, bytes):
            self._note_piece(path, Piece(offset=offset, data=raw))
        return raw

    def list(self, path: str) -> tuple[str, ...] | Gap | None:
        """Asked and noted."""
        names = self._noted_gap(path, self._host.list(path))
        if isinstance(names, tuple):
            self._directories[path] = names
        return names

    def stat(self, path: str) -> Stat | Gap | None:
        """Asked and noted."""
        found = self._noted_gap(path, self._host.stat(path))
        if isinstance(found, Stat):
            self._stats[path] = found
        return found

    def link(self, path: str) -> str | None:
        """Asked and noted."""
        target = self._host.link(path)
        if target is not None:
            self._links[path] = target
        return target

    def real(self, path: str) -> str:
        """Asked; every link on the way is noted."""
        if self.platform != "win32":
            resolve(path, self.link)
        return self._host.real(path)

    def openable(self, path: str, *, write: bool = False) -> str | None:
        """Asked and noted."""
        refused = self._host.openable(path, write=write)
        self.stat(path)
        if refused is not None and refused != "ENOENT":
            (self._unwritable if write else self._unopenable)[path] = refused
        return refused

    def space(self, path: str) -> Space | Gap | None:
        """Asked and noted."""
        room = self._noted_gap(path, self._host.space(path))
        self.stat(path)
        if isinstance(room, Space):
            self._spaces[path] = room
        return room

    def which(self, name: str) -> str | None:
        """Asked and noted."""
        path = self._host.which(name)
        if path is not None:
            self._programs[name] = path
        return path

    def tool(self, name: str) -> str | None:
        """Asked and noted."""
        path = self._host.tool(name)
        if path is not None:
            self.stat(path)
        return path

    def run(
        self,
        argv: tuple[str, ...],
        *,
        timeout: float,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        cap: int = 1024 * 1024,
        watch: "Watch | None" = None,
    ) -> Ran:
        """Asked and noted."""
        ran = self._host.run(argv, timeout=timeout, env=env, stdin=stdin, cap=cap, watch=watch)
        self._commands[argv] = ran
        return ran

    def _noted_gap(self, path: str, answer: _T) -> _T:
        if isinstance(answer, Gap):
            self._gaps[path] = answer.reason
        elif answer is None:  # nothing, or a link to nothing, which its directory lists all the same
            self.link(path)
        return answer

    def _noted_unreadable(self, path: str, answer: _T) -> _T:
        """A directory cannot be read, but that is no gap: it can be listed."""
        if isinstance(answer, Gap):
            found = self.stat(path)
            if isinstance(found, Stat) and found.kind == "directory":
                return answer
        return self._noted_gap(path, answer)

    def _note_piece(self, path: str, piece: Piece) -> None:
        if path not in self._stats:
            self.stat(path)
        self._pieces[path] = (*self._pieces.get(path, ()), piece)


def without_large_files(machine: Machine, limit: int) -> Machine:
    """The machine without files and pieces of more than `limit` bytes; each becomes a gap that says so."""
    sizes = {
        **{path: len(text.encode()) for path, text in machine.files.items()},
        **{path: len(raw) for path, raw in machine.binaries.items()},
        **{path: sum(len(piece.data) for piece in pieces) for path, pieces in machine.pieces.items()},
    }
    large = {path: f"not recorded: {size:,} bytes" for path, size in sizes.items() if size > limit}
    return msgspec.structs.replace(
        machine,
        files={path: text for path, text in machine.files.items() if path not in large},
        binaries={path: raw for path, raw in machine.binaries.items() if path not in large},
        pieces={path: pieces for path, pieces in machine.pieces.items() if path not in large},
        gaps={**machine.gaps, **large},
    )
