"""How much memory a process and its descendants use."""

import os
import sys
from collections.abc import Iterator

from gpudoctor.host.children import read_proc

#: Processes counted at most: one that starts others without end is not followed.
_MOST = 64


def resident_bytes(pid: int) -> int | None:
    """Resident size of the process and its descendants, bytes; None where the system does not tell.

    Pages that they share are counted for each of them.
    """
    if sys.platform != "linux":
        return _by_psutil(pid)
    sizes = [size for one in _family(pid) if (size := _resident(one)) is not None]
    return sum(sizes) if sizes else None


def parse_statm(text: str, page: int) -> int | None:
    """The resident size in /proc/PID/statm (proc(5)): the second number, in pages."""
    words = text.split()
    return int(words[1]) * page if len(words) > 1 and words[1].isdecimal() else None


def _resident(pid: int) -> int | None:
    return parse_statm(read_proc(f"/proc/{pid}/statm"), os.sysconf("SC_PAGE_SIZE"))


def _family(pid: int) -> Iterator[int]:
    """The process and its descendants, as far as the kernel lists children (CONFIG_PROC_CHILDREN)."""
    waiting = [pid]
    for _ in range(_MOST):
        if not waiting:
            return
        one = waiting.pop()
        yield one
        for thread in _names(f"/proc/{one}/task"):
            waiting += map(int, read_proc(f"/proc/{one}/task/{thread}/children").split())


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _by_psutil(pid: int) -> int | None:
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return None
