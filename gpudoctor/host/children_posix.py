"""Runs a child on Linux and macOS: watched until its deadline, its process group stopped, its end described."""

import errno
import os
import signal
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import structs

from gpudoctor.host.children import read_state
from gpudoctor.host.port import Ran
from gpudoctor.host.posix_child import Child, nameless_file, signal_group, spawn, stop_for_good

if TYPE_CHECKING:
    from gpudoctor.host.watch import Watch

assert sys.platform != "win32"

__all__ = ["run_child", "stop_for_good"]

#: Seconds given after SIGTERM; and after SIGKILL, before the child is given up. A process with much pinned memory
#: takes its time to die.
TERM_GRACE = 0.3
KILL_GRACE = 1.0
#: Seconds between two looks at the size of the output.
TICK = 0.01

_Course = Literal["ended", "late", "flooded", "overgrown"]


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
    files: list[int] = []
    try:
        for content in (stdin, b"", b""):
            files.append(nameless_file(content))  # noqa: PERF401 - those opened must be closed if one fails
        child = Child(spawn(argv, os.environ if env is None else env, tuple(files)))
    except (OSError, ValueError) as error:
        return Ran(argv=argv, outcome="not-started", reason=_explain(error, argv[0]))
    else:
        ran = _attend(child, argv, _Output(files[1], files[2], cap), started + timeout, watch)
        return structs.replace(ran, seconds=time.monotonic() - started)
    finally:
        for descriptor in files:
            os.close(descriptor)


class _Output(NamedTuple):
    out: int
    err: int
    cap: int

    def over(self) -> bool:
        """Whether more than the cap was written."""
        return os.fstat(self.out).st_size > self.cap or os.fstat(self.err).st_size > self.cap

    def read(self) -> tuple[bytes, bytes]:
        """What was written, up to the cap."""
        return os.pread(self.out, self.cap, 0), os.pread(self.err, self.cap, 0)


class _End(NamedTuple):
    outcome: Literal["exited", "signalled", "timed-out", "abandoned"]
    code: int | None = None
    signal: str | None = None
    reason: str | None = None


def _attend(child: Child, argv: tuple[str, ...], output: _Output, deadline: float, watch: "Watch | None") -> Ran:
    state: tuple[str | None, str | None] = (None, None)
    try:
        course = _watch(child, output, deadline, watch)
        if course == "late":
            state = read_state(child.pid)
        gone = course == "ended" or _stop(child, gently=course == "late")
        if not gone:
            state = read_state(child.pid)
    except BaseException:  # Ctrl-C in the main thread
        signal_group(child.pid, signal.SIGKILL)
        child.ended(within=KILL_GRACE)
        raise
    finally:
        child.release()
    end = _classify(course, child.status) if gone else _End("abandoned")
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
        overgrown=course == "overgrown",
        state=state[0],
        wchan=state[1],
        reason=end.reason,
    )


def _watch(child: Child, output: _Output, deadline: float, watch: "Watch | None") -> _Course:
    while True:
        left = deadline + (watch.more_time if watch else 0.0) - time.monotonic()
        if child.ended(within=min(TICK, left)):
            return "ended"
        if output.over():
            return "flooded"
        if watch is not None and not watch.look(child.pid, output.out):
            return "overgrown"
        if left <= 0:
            return "late"


def _stop(child: Child, *, gently: bool) -> bool:
    """Whether it is gone. One that floods its output or grows is not asked first: it would go on meanwhile."""
    if gently:
        signal_group(child.pid, signal.SIGTERM)
        if child.ended(within=TERM_GRACE):
            return True
    signal_group(child.pid, signal.SIGKILL)
    return child.ended(within=KILL_GRACE)


def _classify(course: _Course, status: int | None) -> _End:
    if course == "late":
        return _End("timed-out")
    if course in ("flooded", "overgrown"):
        return _End("signalled", signal="SIGKILL")
    if status is None:
        return _End("exited", reason="another part of this process took its exit status")
    code = os.waitstatus_to_exitcode(status)
    return _End("exited", code=code) if code >= 0 else _End("signalled", signal=signal_name(-code))


def signal_name(number: int) -> str:
    """SIGSEGV and so on; SIG40 for a real-time signal without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def _explain(error: OSError | ValueError, program: str) -> str:
    if isinstance(error, ValueError):
        return f"its command line or environment cannot be passed on: {error}"
    if error.errno == errno.ENOENT:
        there = os.path.exists(program)
        return "the interpreter or loader that it names does not exist" if there else "there is no such program"
    if error.errno == errno.EACCES:
        return "it is a directory" if os.path.isdir(program) else "it may not be executed (permission denied)"
    if error.errno == errno.ENOEXEC:
        return "it is not a program for this system (exec format error)"
    if error.errno == errno.EAGAIN:
        return "the system gives no further process: a limit (ulimit -u, a container's pids) is reached"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many files are open: a limit (ulimit -n) is reached"
    return error.strerror or str(error)
