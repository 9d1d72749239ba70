"""Host on the machine we run on. Every refusal becomes a Gap with its reason; what is absent is None."""

import errno
import os
import stat as modes
import sys
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, TypeVar

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.system import Space
from gpudoctor.host.paths import find_program, library_folders, resolve, search_path, tool_directories
from gpudoctor.host.port import READ_LIMIT, Ran, Stat

if TYPE_CHECKING:
    from gpudoctor.host.watch import Watch

_T = TypeVar("_T")

#: Not there: no such name, a file where a directory should be, a name no file can have, a process that has ended.
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ESRCH}
_REASONS = {
    errno.EACCES: "permission denied",
    errno.EPERM: "not permitted",
    errno.EISDIR: "it is a directory",
    errno.ELOOP: "its symbolic links lead in a circle",
    errno.EIO: "input/output error",
    errno.ESTALE: "the file server no longer knows it",
    errno.EMFILE: "too many files are open",
}
_CHUNK = 64 * 1024
#: Without O_NONBLOCK a pipe without a writer, or a GPU that must first be brought up, would make open(2) wait.
_LOOK = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))


class RealHost:
    """The local machine, or (for tests) the tree under `root` as if it were one: links stay inside it."""

    def __init__(
        self, root: str = "/", env: Mapping[str, str] | None = None, tool_dirs: tuple[str, ...] | None = None
    ) -> None:
        self.platform: str = sys.platform
        self.env: Mapping[str, str] = os.environ if env is None else env
        self.cwd: str = _working_directory()
        self._root = root.rstrip("/")
        self._tool_dirs = tool_dirs

    @cached_property
    def library_path(self) -> tuple[str, ...]:
        """The folders of LD_LIBRARY_PATH that are there: the variable may name thousands that are not."""
        return tuple(
            folder
            for folder in library_folders(self.env)
            if "$" in folder or os.path.isdir(self._at(os.path.join(self.cwd, folder)))
        )

    def read(self, path: str, *, limit: int = READ_LIMIT) -> bytes | Gap | None:
        """The first `limit` bytes."""
        return _ask(path, lambda: _read(self._at(path), limit))

    def read_text(self, path: str, *, limit: int = READ_LIMIT) -> str | Gap | None:
        """The first `limit` bytes as text."""
        raw = self.read(path, limit=limit)
        return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw

    def read_range(self, path: str, offset: int, size: int) -> bytes | Gap | None:
        """`size` bytes at `offset`."""
        return _ask(path, lambda: _read(self._at(path), size, offset))

    def list(self, path: str) -> tuple[str, ...] | Gap | None:
        """The sorted names in a directory."""
        return _ask(path, lambda: tuple(sorted(os.listdir(self._at(path))))) if path else None

    def stat(self, path: str) -> Stat | Gap | None:
        """What is at `path`."""
        return _ask(path, lambda: _stat(self._at(path)))

    def link(self, path: str) -> str | None:
        """The target text of a symbolic link."""
        parent, _, name = path.rstrip("/").rpartition("/")
        return self._link(f"{resolve(parent, self._link)}/{name}" if self._root else path)

    def real(self, path: str) -> str:
        """`path` with its links resolved."""
        try:
            return resolve(path, self._link) if self._root else os.path.realpath(path)
        except (OSError, ValueError):
            return path

    def openable(self, path: str, *, write: bool = False) -> str | None:
        """None, or the errno's name. A device that lets us in is not opened: that could load its driver, or wake a GPU.

        access(2) asks the mode, the ACL and the device control group alike (inode_permission() in Linux's fs/namei.c).
        """
        where = self._at(path)
        try:
            if _is_device(where) and os.access(where, os.R_OK | (os.W_OK if write else 0)):
                return None
            os.close(os.open(where, _LOOK | (os.O_RDWR if write else os.O_RDONLY)))
        except OSError as error:
            return errno.errorcode.get(error.errno or 0, "EIO")
        except ValueError:
            return "ENOENT"
        return None

    def space(self, path: str) -> Space | Gap | None:
        """Room on the file system of `path`."""
        return _ask(path, lambda: _space(path, self._at(path)))

    def which(self, name: str) -> str | None:
        """The file PATH gives for `name`."""
        directories = search_path(self.platform, self.env)
        return find_program(name, directories, self.platform, self.env, self._is_program)

    def tool(self, name: str) -> str | None:
        """`name` in the system's own directories."""
        directories = tool_directories(self.platform, self.env) if self._tool_dirs is None else self._tool_dirs
        return find_program(name, directories, self.platform, self.env, self._is_program)

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
        """Run a child to its end or its deadline."""
        from gpudoctor.host.children import run

        return run(argv, timeout=timeout, env=self.env if env is None else env, stdin=stdin, cap=cap, watch=watch)

    def _at(self, path: str) -> str:
        return self._root + resolve(path, self._link) if self._root else path

    def _link(self, path: str) -> str | None:
        """As `link`, where the directory of `path` has no links left."""
        try:
            return os.readlink(self._root + path)
        except (OSError, ValueError):
            return None

    def _is_program(self, path: str) -> bool:
        where = self._at(path)
        return os.path.isfile(where) and os.access(where, os.X_OK)


def _ask(path: str, question: Callable[[], _T]) -> _T | Gap | None:
    try:
        return question()
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        reason = _REASONS.get(error.errno or 0) or (error.strerror or str(error)).lower()
    except ValueError as error:  # a NUL byte in the path
        reason = f"no file can have this name: {error}"
    return Gap(reason=reason, tried=(Source(kind="file", where=path),))


def _read(path: str, limit: int, offset: int = 0) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | _LOOK)
    try:
        if offset:
            os.lseek(descriptor, offset, os.SEEK_SET)
        return _read_up_to(descriptor, limit)
    finally:
        os.close(descriptor)


def _read_up_to(descriptor: int, limit: int) -> bytes:
    parts: list[bytes] = []
    left = limit
    while left > 0:
        try:
            part = os.read(descriptor, min(left, _CHUNK if not parts else READ_LIMIT))
        except BlockingIOError:  # nothing more for now: the kernel log, a terminal
            break
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _stat(path: str) -> Stat:
    found = os.stat(path)
    return Stat(
        kind=_kind(found.st_mode),
        size=found.st_size,
        mode=modes.S_IMODE(found.st_mode),
        owner=user_name(found.st_uid) if sys.platform != "win32" else None,
        group=group_name(found.st_gid) if sys.platform != "win32" else None,
        modified=found.st_mtime,
    )


def _is_device(path: str) -> bool:
    return modes.S_ISCHR(os.stat(path).st_mode)


def _space(path: str, where: str) -> Space:
    if sys.platform == "win32":
        from shutil import disk_usage

        usage = disk_usage(where)
        return Space(path=path, total=usage.total, free=usage.free)
    room = os.statvfs(where)
    return Space(path=path, total=room.f_blocks * room.f_frsize, free=room.f_bavail * room.f_frsize)


def _kind(mode: int) -> Literal["file", "directory", "character", "block", "other"]:
    if modes.S_ISREG(mode):
        return "file"
    if modes.S_ISDIR(mode):
        return "directory"
    if modes.S_ISCHR(mode):
        return "character"
    return "block" if modes.S_ISBLK(mode) else "other"


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


def parse_names(text: str) -> dict[int, str]:
    """Names by number, from passwd(5) or group(5): `name:password:number:…`."""
    rows = (line.split(":") for line in text.splitlines())
    return {int(row[2]): row[0] for row in reversed(list(rows)) if len(row) > 2 and row[2].isdecimal()}


def user_name(number: int) -> str:
    """The user's name; the number as text where the machine's own file does not know it."""
    return "root" if number == 0 else _names("/etc/passwd").get(number, str(number))


def group_name(number: int) -> str:
    """The group's name; the number as text where the machine's own file does not know it."""
    return "root" if number == 0 else _names("/etc/group").get(number, str(number))


@lru_cache(maxsize=2)
def _names(path: str) -> dict[int, str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return parse_names(file.read())
    except OSError:
        return {}
