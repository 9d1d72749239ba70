"""A lock for each environment, so that only one run changes it at a time."""

import os
import sys
from contextlib import suppress
from types import TracebackType

from gpudoctor.apply.in_place import is_fixed
from gpudoctor.apply.journal import LOCK


class Busy(RuntimeError):
    """Another run works on this environment; the message says which."""


class Lock:
    """Held until it is left, or until everyone who inherited it has ended: an installer that outlived us, too.

    A file beside the environment, as the environment itself is replaced; in it where it cannot be.
    """

    def __init__(self, environment: str) -> None:
        folder, name = os.path.split(environment)
        inside = is_fixed(environment)
        self._path = os.path.join(environment, LOCK) if inside else os.path.join(folder, f".{name}{LOCK}")
        self.descriptor = -1

    def __enter__(self) -> "Lock":  # noqa: PYI034 - typing.Self needs Python 3.11
        """Raises Busy, OSError."""
        while True:
            self.descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
            if not _taken(self.descriptor):
                holder = _holder(self.descriptor)
                os.close(self.descriptor)
                raise Busy(f"another gpudoctor{holder} is at work on this environment; wait for it, or end it first")
            if self._is_current():
                break
            # Its holder removed the file between our opening and locking it.
            os.close(self.descriptor)
        if sys.platform != "win32":  # there a locked file can be written by its holder only through the lock's range
            with suppress(OSError):  # a full disk: it is only said who holds it
                os.ftruncate(self.descriptor, 0)
                os.pwrite(self.descriptor, str(os.getpid()).encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go; the file is removed while it is still ours."""
        if sys.platform == "win32":  # an open file cannot be removed there
            os.close(self.descriptor)
            return
        os.unlink(self._path)
        os.close(self.descriptor)

    def _is_current(self) -> bool:
        try:
            there = os.stat(self._path)
        except FileNotFoundError:
            return False
        return os.path.samestat(there, os.fstat(self.descriptor))


def _taken(descriptor: int) -> bool:
    """Whether the lock could be taken."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> str:
    if sys.platform == "win32":
        return ""
    number = os.pread(descriptor, 20, 0).decode("ascii", "replace")
    if not number.isdecimal():
        return ""
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:  # the lock is held by what it had started
        return f" (process {number}) was ended, and the installer that it started"
    except OSError:
        pass
    return f" (process {number})"
