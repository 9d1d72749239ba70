"""Opens files that users name, or pipes, safely: with a size limit, and without waiting for ever."""

import io
import math
import os
import select
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

#: Seconds in which a pipe must bring its first and each further byte, and in which everything must have been read.
SILENCE, LONGEST = 30.0, 120.0
_CHUNK = 1 << 20
#: Without O_NONBLOCK a pipe that nobody writes to makes open(2) wait (man 7 fifo).
LOOK = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))


class Given:
    """An open file, pipe or terminal."""

    def __init__(self, descriptor: int, status: os.stat_result) -> None:
        self._descriptor = descriptor
        self._begun = False
        self._until = time.monotonic() + LONGEST
        #: Bytes of a regular file; None for what has no end that is known.
        self.size: int | None = status.st_size if stat.S_ISREG(status.st_mode) else None

    def read(self, count: int) -> bytes:
        """So many bytes; fewer only where it ends. Raises OSError."""
        parts: list[bytes] = []
        while count > 0 and (part := self.piece(min(count, _CHUNK))):
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def go_to(self, offset: int) -> None:
        """Read on from there; a regular file only."""
        os.lseek(self._descriptor, offset, os.SEEK_SET)

    def take_any_time(self) -> None:
        """Read for as long as something comes."""
        self._until = math.inf

    def piece(self, count: int) -> bytes:
        """What comes next, waited for where it is a pipe; nothing at its end."""
        while True:
            if time.monotonic() > self._until:
                raise TimeoutError(None, f"it had not been read whole after {LONGEST:.0f} s")
            try:
                part = os.read(self._descriptor, count)
            except BlockingIOError:
                self._wait()
                continue
            if part or self._begun or self.size is not None or self._wait():
                self._begun = True
                return part

    def _wait(self) -> bool:
        """Wait for bytes, or for the last writer to leave, which is answered with True. Raises TimeoutError."""
        if not hasattr(select, "poll"):  # Windows: its pipes wait by themselves
            return True
        waiting = select.poll()
        waiting.register(self._descriptor, select.POLLIN)
        events = waiting.poll(SILENCE * 1000)
        if not events:
            raise TimeoutError(None, f"it is a pipe that brought nothing for {SILENCE:.0f} s")
        return not events[0][1] & select.POLLIN


@contextmanager
def open_given(path: str, *, pipes: bool = False) -> Iterator[Given]:
    """The file of that name; with `pipes` also a pipe or a terminal, which a user may name. Raises OSError."""
    descriptor = os.open(path, LOOK)
    try:
        status = os.fstat(descriptor)
        if reason := _reason_against(status.st_mode, descriptor, pipes=pipes):
            raise OSError(None, reason)
        yield Given(descriptor, status)
    finally:
        os.close(descriptor)


class _Pieces(io.RawIOBase):
    def __init__(self, given: Given) -> None:
        self._given = given

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        part = self._given.piece(len(buffer))
        buffer[: len(part)] = part
        return len(part)


@contextmanager
def stream_given(path: str) -> Iterator[IO[bytes]]:
    """A file or a pipe to be read bit by bit, however large; a pipe is given up when nothing comes. Raises OSError."""
    with open_given(path, pipes=True) as given:
        given.take_any_time()
        yield io.BufferedReader(_Pieces(given), _CHUNK)


def read_given(path: str, *, limit: int, pipes: bool = False) -> bytes:
    """The whole file. Raises OSError, also for one that is larger than `limit` bytes."""
    with open_given(path, pipes=pipes) as given:
        raw = given.read(limit + 1) if given.size is None or given.size <= limit else b""
        if len(raw) > limit or (given.size or 0) > limit:
            raise OSError(None, f"it is larger than {_size(limit)}")
    return raw


def _reason_against(mode: int, descriptor: int, *, pipes: bool) -> str | None:
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISDIR(mode):
        return "it is a directory"
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        return None if pipes else "it is a pipe, not a file"
    if stat.S_ISCHR(mode) and os.isatty(descriptor):
        return None if pipes else "it is a terminal, not a file"
    return "it is a device, not a file"


def _size(limit: int) -> str:
    return f"{limit // 1024**2} MiB" if limit >= 1024**2 else f"{limit // 1024} KiB"


def read_named(path: str, most: int) -> bytes:
    """The first `most` bytes of a file or pipe, or of standard input for "-". Raises OSError."""
    if path == "-":
        return sys.stdin.buffer.read(most)
    with open_given(path, pipes=True) as given:
        return given.read(most)
