"""Runs a function in a fork of this process, with a deadline that holds whatever it meets.

A file on a dead network mount holds whoever reads it, without end and beyond any signal. The fork may be held; we are
not. Only for the main thread before any other is started, on Linux (docs.python.org, os.fork).
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from gpudoctor.facts.base import Gap
from gpudoctor.host.children import read_state, stop_for_good

_GRACE = 0.3
#: Process numbers of forks whose end has not been seen.
_running: set[int] = set()


def stop_forks() -> None:
    """End the forks that still work (Ctrl-C); each ends its own children first."""
    for pid in tuple(_running):
        _kill(pid, signal.SIGTERM)


class Forked:
    """A call under way in a fork; what it returns comes back through a pipe. Raises OSError where there is no fork."""

    def __init__(self, work: Callable[[], bytes]) -> None:
        self._reader, writer = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:  # a limit on processes, no memory
            os.close(self._reader)
            os.close(writer)
            raise
        if self._pid == 0:
            _serve(work, writer)
        _running.add(self._pid)
        os.close(writer)

    def result(self, deadline: float) -> bytes | Gap:
        """What the work returned, at most `deadline` seconds from now; a Gap where it crashed or was held."""
        try:
            raw = self._read_all(time.monotonic() + deadline)
        finally:
            os.close(self._reader)
        if raw is None:
            return self._give_up(deadline)
        _, status = os.waitpid(self._pid, 0)
        _running.discard(self._pid)
        code = os.waitstatus_to_exitcode(status)
        if code == 0:
            return raw
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return Gap(reason=f"the process that looked {how}")

    def _read_all(self, end: float) -> bytes | None:
        """Everything up to the end of the pipe; None where it does not come in time."""
        poller = select.poll()
        poller.register(self._reader, select.POLLIN)
        parts: list[bytes] = []
        while poller.poll(max(0.0, end - time.monotonic()) * 1000):
            part = os.read(self._reader, 1 << 20)
            if not part:
                return b"".join(parts)
            parts.append(part)
        return None

    def _give_up(self, deadline: float) -> Gap:
        state, wchan = read_state(self._pid)
        for number in (signal.SIGTERM, signal.SIGKILL):
            _kill(self._pid, number)
            time.sleep(_GRACE)
            if os.waitpid(self._pid, os.WNOHANG)[0]:
                break
        _running.discard(self._pid)
        held = f"; it is held in the kernel ({wchan or 'uninterruptible sleep'})" if state == "D" else ""
        return Gap(reason=f"reading files took longer than {deadline:.0f} s{held}")


def _kill(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _serve(work: Callable[[], bytes], writer: int) -> NoReturn:
    """In the fork: do the work, write its answer, and leave without tidying up what belongs to the parent."""
    code = 1
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(work())
        code = 0
    except KeyboardInterrupt:
        code = 130
    finally:
        stop_for_good()
        sys.stderr.flush()
        os._exit(code)


def _interrupt(*_: object) -> NoReturn:
    """End the work where it stands; what the interpreter would say of that, within an import for one, is not said."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    raise KeyboardInterrupt
