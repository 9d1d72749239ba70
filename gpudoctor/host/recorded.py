"""Host that answers from a recording or from data in a test."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.system import Space
from gpudoctor.host.machine import Machine, Piece, load_machine
from gpudoctor.host.paths import find_program, library_folders, resolve, search_path, tool_directories
from gpudoctor.host.port import READ_LIMIT, Ran, Stat
from gpudoctor.host.tree import Tree

if TYPE_CHECKING:
    from gpudoctor.host.watch import Watch

_T = TypeVar("_T")

_NOT_RECORDED = "not recorded"


class RecordedHost:
    """Answers from tables by path and by command. What is in none of them is not there.

    `commands` are looked up by the whole argv, then by the program's base name and its arguments (see `command_key`);
    a plain text or bytes value is the output of a successful run.
    """

    def __init__(
        self,
        files: Mapping[str, str | bytes] | None = None,
        *,
        links: Mapping[str, str] | None = None,
        stats: Mapping[str, Stat] | None = None,
        directories: Mapping[str, tuple[str, ...]] | None = None,
        gaps: Mapping[str, str] | None = None,
        pieces: Mapping[str, tuple[Piece, ...]] | None = None,
        spaces: Mapping[str, Space] | None = None,
        unopenable: Mapping[str, str] | None = None,
        unwritable: Mapping[str, str] | None = None,
        programs: Mapping[str, str] | None = None,
        commands: Mapping[tuple[str, ...], Ran | str | bytes] | None = None,
        env: Mapping[str, str] | None = None,
        platform: str = "linux",
        cwd: str = "/",
    ) -> None:
        self.platform: str = platform
        self.env: Mapping[str, str] = env or {}
        self.cwd: str = cwd
        self._tree = Tree(windows=platform == "win32")
        self._links: Mapping[str, str] = links or {}
        self._links = {self._place_of_link(path): target for path, target in self._links.items()}
        self._files = self._keyed({path: _as_bytes(value) for path, value in (files or {}).items()})
        self._stats = self._keyed(stats)
        self._gaps = self._keyed(gaps)
        self._pieces = self._keyed(pieces)
        self._spaces = {self._find(path): space for path, space in (spaces or {}).items()}
        self._unopenable = self._keyed(unopenable)
        self._unwritable = self._keyed(unwritable)
        for path in self._links:
            self._tree.plant(path)
        empty = {path: () for path, stat in (stats or {}).items() if stat.kind == "directory"}
        for path, names in {**empty, **(directories or {})}.items():
            self._tree.plant_directory(self._resolve(path), names)
        self._programs = programs or {}
        self._commands = {key: _as_ran(key, value) for key, value in (commands or {}).items()}
        self._commands |= {command_key(key): ran for key, ran in self._commands.items()}

    @property
    def library_path(self) -> tuple[str, ...]:
        """All folders of LD_LIBRARY_PATH."""
        return library_folders(self.env)

    @classmethod
    def load(cls, raw: bytes) -> "RecordedHost":
        """The machine in a `machine.json`. Raises ValueError for anything else."""
        return cls.of(load_machine(raw))

    @classmethod
    def of(cls, machine: Machine) -> "RecordedHost":
        """The host of a recorded machine."""
        return cls(
            {**machine.files, **machine.binaries},
            links=machine.links,
            stats=machine.stats,
            directories=machine.directories,
            gaps=machine.gaps,
            pieces=machine.pieces,
            spaces=machine.spaces,
            unopenable=machine.unopenable,
            unwritable=machine.unwritable,
            programs=machine.programs,
            commands={command.argv: command.ran() for command in machine.commands},
            env=machine.env,
            platform=machine.platform,
            cwd=machine.cwd,
        )

    def read(self, path: str, *, limit: int = READ_LIMIT) -> bytes | Gap | None:
        """The first `limit` bytes."""
        return self.read_range(path, 0, limit)

    def read_text(self, path: str, *, limit: int = READ_LIMIT) -> str | Gap | None:
        """The first `limit` bytes as text."""
        raw = self.read(path, limit=limit)
        return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw

    def read_range(self, path: str, offset: int, size: int) -> bytes | Gap | None:
        """`size` bytes at `offset`, from the whole file or from a recorded piece that has them."""
        key = self._find(path)
        if key in self._gaps:
            return _gap(path, self._gaps[key])
        if key in self._files:
            return self._files[key][offset : offset + size]
        if key in self._pieces:
            found = _cut(self._pieces[key], offset, size, self._stats.get(key))
            return _gap(path, _NOT_RECORDED) if found is None else found
        if self._tree.is_directory(key):
            return _gap(path, "it is a directory")
        return _gap(path, _NOT_RECORDED) if self._tree.has(key) else None

    def list(self, path: str) -> tuple[str, ...] | Gap | None:
        """The sorted names in a directory."""
        key = self._find(path)
        if key in self._gaps:
            return _gap(path, self._gaps[key])
        return self._tree.names(key)

    def stat(self, path: str) -> Stat | Gap | None:
        """What is at `path`: as recorded, else as follows from the files."""
        key = self._find(path)
        if key in self._stats:
            return self._stats[key]
        if key in self._gaps:
            return _gap(path, self._gaps[key])
        if key in self._files:
            return Stat(kind="file", size=len(self._files[key]), mode=0o644)
        if self._tree.is_directory(key):
            return Stat(kind="directory", mode=0o755)
        return Stat(kind="file", mode=0o644) if self._tree.has(key) else None

    def link(self, path: str) -> str | None:
        """The target text of a symbolic link."""
        return self._links.get(self._place_of_link(path))

    def real(self, path: str) -> str:
        """`path` with its links resolved."""
        return self._resolve(path)

    def openable(self, path: str, *, write: bool = False) -> str | None:
        """None, or the recorded errno's name; ENOENT for what is not there."""
        key = self._find(path)
        refused = self._unopenable.get(key) or (self._unwritable.get(key) if write else None)
        return refused or (None if self._tree.has(key) else "ENOENT")

    def space(self, path: str) -> Space | Gap | None:
        """The recorded room."""
        key = self._find(path)
        return self._spaces.get(key) or (_gap(path, _NOT_RECORDED) if self._tree.has(key) else None)

    def which(self, name: str) -> str | None:
        """The file PATH gives for `name`."""
        if name in self._programs:
            return self._programs[name]
        return find_program(name, search_path(self.platform, self.env), self.platform, self.env, self._is_program)

    def tool(self, name: str) -> str | None:
        """`name` in the system's own directories; there is one if a run of it is recorded."""
        directories = tool_directories(self.platform, self.env)
        found = find_program(name, directories, self.platform, self.env, self._is_program)
        if found is None and any(argv[0] == name for argv in self._commands):
            return f"C:\\Windows\\System32\\{name}.exe" if self.platform == "win32" else f"/usr/bin/{name}"
        return found

    def run(
        self,
        argv: tuple[str, ...],
        *,
        timeout: float,  # noqa: ARG002 - the port's signature
        env: Mapping[str, str] | None = None,  # noqa: ARG002
        stdin: bytes = b"",  # noqa: ARG002
        cap: int = 1024 * 1024,  # noqa: ARG002
        watch: "Watch | None" = None,  # noqa: ARG002
    ) -> Ran:
        """The recorded run."""
        ran = self._commands.get(argv) or self._commands.get(command_key(argv))
        return ran or Ran(argv=argv, outcome="not-started", reason=_NOT_RECORDED)

    def _find(self, path: str) -> str:
        """The key under which `path` is recorded: with its links resolved."""
        return self._tree.key(self._resolve(path))

    def _keyed(self, table: Mapping[str, _T] | None) -> dict[str, _T]:
        return self._tree.keyed({self._resolve(path): value for path, value in (table or {}).items()})

    def _resolve(self, path: str) -> str:
        return path if self.platform == "win32" else resolve(path, self._links.get)

    def _place_of_link(self, path: str) -> str:
        """The path of a link itself: only its directory is resolved."""
        parent, slash, name = path.rstrip("/").rpartition("/")
        return f"{self._resolve(parent).rstrip('/')}{slash}{name}"

    def _is_program(self, path: str) -> bool:
        found = self.stat(path)
        return isinstance(found, Stat) and found.kind == "file"


def command_key(argv: tuple[str, ...]) -> tuple[str, ...]:
    """A command without the places of this machine: the program and a Python script by base name, its paths left out.

    Any interpreter is "python": the one that recorded the machine is not the one that reads it.
    """
    program = _base_name(argv[0]).removesuffix(".exe")
    if not program.startswith("python"):
        return (program, *argv[1:])
    script = next((place for place, word in enumerate(argv) if word.endswith(".py")), len(argv))
    after = (word for word in argv[script + 1 :] if not _is_absolute(word))
    return ("python", *argv[1:script], *map(_base_name, argv[script : script + 1]), *after)


def _is_absolute(word: str) -> bool:
    return word.startswith("/") or word[1:3] == ":\\"


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _cut(pieces: tuple[Piece, ...], offset: int, size: int, stat: Stat | None) -> bytes | None:
    for piece in pieces:
        start = offset - piece.offset
        end = piece.offset + len(piece.data)
        at_end = stat is not None and end >= stat.size
        if start >= 0 and (offset + size <= end or at_end):
            return piece.data[start : start + size]
    return None


def _gap(path: str, reason: str) -> Gap:
    return Gap(reason=reason, tried=(Source(kind="file", where=path),))


def _as_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _as_ran(argv: tuple[str, ...], value: Ran | str | bytes) -> Ran:
    return value if isinstance(value, Ran) else Ran(argv=argv, outcome="exited", code=0, stdout=_as_bytes(value))
