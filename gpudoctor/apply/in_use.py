"""Which processes use an environment: they work in its folder, were started from it, or have its libraries loaded."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress

from gpudoctor.apply.events import User


def users_of(environment: str, *, working: bool = False) -> tuple[User, ...]:
    """The processes that can be seen, but this one. `working`: only those whose current folder is in it."""
    folder = os.path.realpath(environment)
    every = _of_proc(folder, working=working) if sys.platform == "linux" else _of_psutil(folder, working=working)
    return tuple(sorted(every, key=lambda user: user.pid))


def _of_proc(folder: str, *, working: bool) -> Iterator[User]:
    """proc_pid_cwd(5), proc_pid_exe(5), proc_pid_cmdline(5), proc_pid_maps(5)."""
    for name in os.listdir("/proc"):
        if not name.isdecimal() or int(name) == os.getpid():
            continue
        with suppress(OSError):
            how = _how(f"/proc/{name}", folder, working=working)
            if how is not None:
                yield User(pid=int(name), name=_read(f"/proc/{name}/comm").decode("utf-8", "replace").strip(), how=how)


def _how(process: str, folder: str, *, working: bool) -> str | None:
    if _is_in(os.readlink(f"{process}/cwd"), folder):
        return "works in its folder"
    if working:
        return None
    program = os.fsdecode(_read(f"{process}/cmdline").split(b"\0", 1)[0])
    if _is_in(os.readlink(f"{process}/exe"), folder) or _is_in(program, folder):
        return "was started from it"
    return "has its libraries loaded" if os.fsencode(f" {folder}{os.sep}") in _read(f"{process}/maps") else None


def _of_psutil(folder: str, *, working: bool) -> Iterator[User]:
    # Imported here: on Linux it is not needed.
    import psutil

    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid == os.getpid():
                continue
            if _is_in(process.cwd(), folder):
                yield User(pid=process.pid, name=process.name(), how="works in its folder")
            elif not working and _is_in(process.exe(), folder):
                yield User(pid=process.pid, name=process.name(), how="was started from it")


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}{os.sep}")


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()
