"""How much an environment has grown since a command began."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress

#: The part of the time that is spent on looking, at most.
SHARE = 0.01


class Growth:
    """Counts the bytes of the files in a folder, as often as that costs little."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._next = 0.0
        self._first = self._size = self._count()

    def mib(self) -> int:
        """MiB more than at first."""
        if time.monotonic() >= self._next:
            self._size = self._count()
        return max(0, self._size - self._first) >> 20

    def _count(self) -> int:
        began = time.monotonic()
        size = size_of(self._folder)
        took = time.monotonic() - began
        self._next = began + took / SHARE
        return size


def size_of(folder: str) -> int:
    """Bytes of the files in a folder."""
    return sum(status.st_size for status in _found(folder))


def own_size_of(folder: str) -> int:
    """Bytes of the files in a folder that have no other name: what removing it frees."""
    return sum(status.st_size for status in _found(folder) if status.st_nlink == 1)


def _found(folder: str) -> Iterator[os.stat_result]:
    folders = [folder]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:  # the installer may have moved it meanwhile
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    yield os.lstat(entry.path)
