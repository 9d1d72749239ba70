"""Watches a long-running child process: its output as it comes, and a limit on its memory.

A cap on the address space (RLIMIT_AS) would not do: CUDA reserves many times the machine's memory as address space
(docs.nvidia.com/cuda/cuda-c-programming-guide, Unified Virtual Address Space). So the resident size is looked at.
"""

import math
import os
import time
from collections.abc import Callable

from gpudoctor.host.process_memory import resident_bytes

#: Seconds between two looks at the memory; bytes of output read at once.
_PAUSE = 0.1
_CHUNK = 1024 * 1024


class Watch:
    """Given to `run`. `on_output` gets standard output as it grows; above `memory_cap` bytes the child is stopped."""

    def __init__(self, *, on_output: Callable[[bytes], None] | None = None, memory_cap: int | None = None) -> None:
        self.memory_cap = memory_cap
        #: Largest resident size seen, bytes, with everything the child started; None where it could not be seen.
        self.peak: int | None = None
        #: Whether it went past the cap.
        self.overgrown = False
        #: Seconds that the child may take beyond its deadline, because it has to wait for another.
        self.grace = 0.0
        self._on_output = on_output
        self._read = 0
        self._next_look = 0.0
        self._held_since: float | None = None
        self._began = time.monotonic()

    def look(self, pid: int, output: int | None) -> bool:
        """One look at the running child and at the file of its output, if it can be read now; whether it may go on."""
        if output is not None:
            self._catch_up(output)
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + _PAUSE
            size = resident_bytes(pid)
            if size is not None:
                self.peak = max(size, self.peak or 0)
                self.overgrown = self.memory_cap is not None and size > self.memory_cap
        return not self.overgrown

    def finish(self, output: bytes) -> None:
        """Pass on what is left of all that it wrote."""
        self._pass_on(output[self._read :])

    def hold(self) -> None:
        """The child waits for another one: its deadline does not come nearer."""
        if self._held_since is None:
            self._held_since = time.monotonic()

    def go_on(self) -> None:
        """The wait is over."""
        if self._held_since is not None:
            self.grace += time.monotonic() - self._held_since
            self._held_since = None

    def _catch_up(self, output: int) -> None:
        if os.fstat(output).st_size > self._read:
            self._pass_on(os.pread(output, _CHUNK, self._read))

    def _pass_on(self, piece: bytes) -> None:
        self._read += len(piece)
        if piece and self._on_output is not None:
            self._on_output(piece)

    def begin_anew(self) -> None:
        """The child begins something new: its time is counted from now on."""
        now = time.monotonic()
        self.grace, self._held_since = now - self._began, None

    @property
    def more_time(self) -> float:
        """Seconds to add to the deadline as things stand."""
        return math.inf if self._held_since is not None else self.grace
