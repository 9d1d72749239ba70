"""Runs a child on Windows: own process group, output to temporary files, killed at the deadline."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

from gpudoctor.host.port import Ran

if TYPE_CHECKING:
    from gpudoctor.host.watch import Watch

assert sys.platform == "win32"

#: Seconds: after the kill, before the child is given up; between two looks at the size of the output.
KILL_GRACE = 1.0
TICK = 0.02
#: Exit statuses that are crashes (ntstatus.h), by the name of the signal that means the same elsewhere.
_CRASHES = {
    0xC0000005: "SIGSEGV",
    0xC000001D: "SIGILL",
    0xC0000094: "SIGFPE",
    0xC00000FD: "SIGSEGV",
    0xC0000409: "SIGABRT",
}

_lock = threading.Lock()
_running: set[subprocess.Popen[bytes]] = set()
_stopped = False


def run_child(
    argv: tuple[str, ...],
    *,
    timeout: float,
    env: Mapping[str, str] | None,
    stdin: bytes,
    cap: int,
    watch: "Watch | None",
) -> Ran:
    """Run a child; see `gpudoctor.host.children.run`."""
    started = time.monotonic()
    try:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            child = _spawn(argv, env, (given, out, err))
            return _attend(child, argv, _Output(out, err, cap), started, started + timeout, watch)
    except (OSError, ValueError) as error:
        return Ran(argv=argv, outcome="not-started", reason=getattr(error, "strerror", None) or str(error))


def stop_for_good() -> None:
    """Kill every running child and start no more."""
    global _stopped  # noqa: PLW0603 - it is a fact about the process
    with _lock:
        _stopped = True
        for child in _running:
            child.kill()


class _Output(NamedTuple):
    out: IO[bytes]
    err: IO[bytes]
    cap: int

    def over(self) -> bool:
        """Whether more than the cap was written."""
        return any(os.fstat(stream.fileno()).st_size > self.cap for stream in (self.out, self.err))

    def read(self) -> tuple[bytes, bytes]:
        """What was written, up to the cap."""
        self.out.seek(0)
        self.err.seek(0)
        return self.out.read(self.cap), self.err.read(self.cap)


def _spawn(
    argv: tuple[str, ...], env: Mapping[str, str] | None, streams: tuple[IO[bytes], IO[bytes], IO[bytes]]
) -> subprocess.Popen[bytes]:
    flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    with _lock:
        if _stopped:
            raise InterruptedError("gpudoctor is ending")
        child = subprocess.Popen(
            argv, env=env, stdin=streams[0], stdout=streams[1], stderr=streams[2], creationflags=flags
        )
        _running.add(child)
    return child


def _attend(
    child: subprocess.Popen[bytes],
    argv: tuple[str, ...],
    output: _Output,
    started: float,
    deadline: float,
    watch: "Watch | None",
) -> Ran:
    try:
        cut_short = _watch(child, output, deadline, watch)
        stopped = child.poll() is None
        gone = not stopped or _kill(child)
    except BaseException:  # Ctrl-C in the main thread
        _kill(child)
        raise
    finally:
        with _lock:
            _running.discard(child)
    end = _classify(child.returncode, stopped=stopped, cut_short=cut_short) if gone else _End("abandoned")
    stdout, stderr = output.read()
    if watch is not None:
        watch.finish(stdout)
    return Ran(
        argv=argv,
        outcome=end.outcome,
        code=end.code,
        signal=end.signal,
        stdout=stdout,
        stderr=stderr,
        truncated=output.over(),
        overgrown=watch is not None and watch.overgrown,
        seconds=time.monotonic() - started,
    )


def _watch(child: subprocess.Popen[bytes], output: _Output, deadline: float, watch: "Watch | None") -> bool:
    """Wait for its end or its deadline; whether it printed too much, or grew too large, before."""
    while time.monotonic() < deadline + (watch.more_time if watch else 0.0) and not _ended(child, TICK):
        # Its output is not read meanwhile: here the place to read and the place to write are one.
        if output.over() or (watch is not None and not watch.look(child.pid, None)):
            return True
    return False


def _ended(child: subprocess.Popen[bytes], within: float) -> bool:
    try:
        child.wait(within)
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill(child: subprocess.Popen[bytes]) -> bool:
    child.kill()
    return _ended(child, KILL_GRACE)


class _End(NamedTuple):
    outcome: Literal["exited", "signalled", "timed-out", "abandoned"]
    code: int | None = None
    signal: str | None = None


def _classify(status: int, *, stopped: bool, cut_short: bool) -> _End:
    if stopped:
        return _End("signalled", signal="SIGKILL") if cut_short else _End("timed-out")
    crash = _CRASHES.get(status & 0xFFFFFFFF)
    return _End("signalled", signal=crash) if crash else _End("exited", code=status)
