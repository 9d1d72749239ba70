"""Exchanges two folders, atomically where the system can, so that the environment is never missing."""

import ctypes
import os
import sys

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def exchange(first: str, second: str) -> None:
    """What was at `first` is at `second` and the other way round. Both on one file system. Raises OSError."""
    if not _exchanged(first, second):
        aside = f"{second}.aside"
        os.rename(first, aside)
        os.rename(second, first)
        os.rename(aside, second)


def settle(first: str, second: str) -> None:
    """Finish or take back an exchange that was cut short between its renames."""
    aside = f"{second}.aside"
    if os.path.lexists(aside):
        os.rename(aside, second if os.path.lexists(first) else first)


def identity(path: str) -> tuple[int, int] | None:
    """(device, inode) of what is at `path`; it keeps them when it is moved. None where nothing is."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _exchanged(first: str, second: str) -> bool:
    """renameat2(2) with RENAME_EXCHANGE; some file systems and older kernels do not have it."""
    if sys.platform != "linux":
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:  # musl before 1.2.6
        return False
    result = rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), ctypes.c_uint(_RENAME_EXCHANGE))
    return bool(result == 0)
