"""One child process on Linux or macOS: started as leader of its own group, waited for within a limit."""

import errno
import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

assert sys.platform != "win32"

#: Python ignores SIGPIPE and SIGXFSZ, nohup ignores SIGHUP, some launchers SIGCHLD; a child should not inherit this.
_DEFAULTED = (
    signal.SIGPIPE,
    signal.SIGXFSZ,
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGCHLD,
)
#: Seconds. Where there is no pidfd, the longest pause between two looks; the longest wait for a late exit status.
_LONGEST_PAUSE = 0.01
_STATUS_WAIT = 1.0

_Action: TypeAlias = tuple[int, int] | tuple[int, int, int]

_lock = threading.Lock()
_running: set[int] = set()
_stopped = False


def stop_for_good() -> None:
    """Kill every running child and start no more."""
    global _stopped  # noqa: PLW0603 - it is a fact about the process
    with _lock:
        _stopped = True
        for pid in _running:
            signal_group(pid, signal.SIGKILL)


def signal_group(pid: int, number: signal.Signals) -> None:
    """Signal the process and everything it started that did not leave its group."""
    try:
        os.killpg(pid, number)
    except OSError:  # gone already, or (macOS) only a zombie is left
        return


def spawn(argv: tuple[str, ...], env: Mapping[str, str], streams: tuple[int, ...]) -> int:
    """The number of a new process with these standard streams. Raises OSError, ValueError.

    posix_spawn(3) does not copy our memory, and reports a failed exec as its own error.
    """
    actions: list[_Action] = [(os.POSIX_SPAWN_DUP2, descriptor, stream) for stream, descriptor in enumerate(streams)]
    actions += [(os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in _inherited()]
    with _lock:
        if _stopped:
            raise InterruptedError(errno.EINTR, "gpudoctor is ending")
        with _no_core_files():
            pid = _spawn_leader(argv, env, actions)
        _running.add(pid)
    return pid


def _spawn_leader(argv: tuple[str, ...], env: Mapping[str, str], actions: list[_Action]) -> int:
    try:
        return os.posix_spawn(
            argv[0], argv, env, file_actions=actions, setsid=True, setsigmask=(), setsigdef=_DEFAULTED
        )
    except NotImplementedError:  # macOS before 10.15, and Pythons built against glibc before 2.26: a group only
        return os.posix_spawn(
            argv[0], argv, env, file_actions=actions, setpgroup=0, setsigmask=(), setsigdef=_DEFAULTED
        )


@contextmanager
def _no_core_files() -> Iterator[None]:
    """A crashing child would leave `core` in the user's working directory. It inherits our limit: set it meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    if soft == 0:
        yield
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def _inherited() -> list[int]:
    """Descriptors our caller left open. A child that cannot be killed would hold its pipes, and the caller wait."""
    if sys.platform != "linux":
        return []
    try:
        passed_on = [number for number in map(int, os.listdir("/proc/self/fd")) if number > 2 and _passes_on(number)]
    except OSError:
        return []
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    for number in passed_on:
        if 0 <= most <= number:
            # Opened before the limit was lowered: posix_spawn(3) refuses to close a number that cannot be one (EBADF).
            os.set_inheritable(number, False)
    return [number for number in passed_on if most < 0 or number < most]


def _passes_on(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError:  # the listing itself
        return False


class Child:
    """A running child. Until `release`, its number cannot be given to another process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        #: The status of wait(2); None while it runs, or when another part of this process took it.
        self.status: int | None = None
        self._pause = 0.0005
        self._handle = _open_handle(pid)
        self._poll = None
        if self._handle is not None:
            self._poll = select.poll()
            self._poll.register(self._handle, select.POLLIN)

    def ended(self, *, within: float) -> bool:
        """Whether it has ended, after waiting up to `within` seconds for it."""
        if self._poll is not None:
            return bool(self._poll.poll(max(0.0, within) * 1000))
        until = time.monotonic() + within
        while not self._has_exited():
            left = until - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(self._pause, left))
            self._pause = min(self._pause * 1.5, _LONGEST_PAUSE)
        return True

    def release(self) -> None:
        """Kill what is left of the group while its leader still holds the number; then let go of it."""
        ended = self.ended(within=0)
        if ended:
            signal_group(self.pid, signal.SIGKILL)
        with _lock:
            _running.discard(self.pid)
        if ended:
            self._collect()
        if self._handle is not None:
            os.close(self._handle)

    def _has_exited(self) -> bool:
        try:
            if sys.platform != "linux":  # macOS has waitid from Python 3.13 on
                return self._take_status()
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def _take_status(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status is not None

    def _collect(self) -> None:
        """Take the exit status. A tracer (strace) is told of the end first, so it may come a little later."""
        until = time.monotonic() + _STATUS_WAIT
        try:
            while not self._take_status() and time.monotonic() < until:
                time.sleep(0.001)
        except ChildProcessError:
            return


def _open_handle(pid: int) -> int | None:
    """A pidfd, which can be waited for without polling (Linux 5.3; some sandboxes and builds of Python lack it)."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None


#: linux/memfd.h. Asked for first (kernel 6.3): some systems refuse files in memory that could be executed.
_MFD_NOEXEC_SEAL = 0x0008


def nameless_file(content: bytes = b"") -> int:
    """A descriptor at the start of `content`, for reading and writing. Raises OSError where there is no place."""
    descriptor = _above_standard_streams(_open())
    try:
        _fill(descriptor, content)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _open() -> int:
    for opener in (_in_memory, _in_shared_memory):
        try:
            return opener()
        except (OSError, AttributeError):  # noqa: PERF203 - some builds of Python lack memfd_create
            continue
    return _in_temporary_folder()


def _in_memory() -> int:
    if sys.platform != "linux":
        raise AttributeError("memfd_create")
    try:
        return os.memfd_create("gpudoctor-child", os.MFD_CLOEXEC | _MFD_NOEXEC_SEAL)
    except OSError:
        return os.memfd_create("gpudoctor-child", os.MFD_CLOEXEC)


def _in_shared_memory() -> int:
    if sys.platform != "linux":
        raise AttributeError("O_TMPFILE")
    return os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)  # noqa: S108 - it has no name


def _in_temporary_folder() -> int:
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _fill(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    if content:
        os.lseek(descriptor, 0, os.SEEK_SET)


def _above_standard_streams(descriptor: int) -> int:
    """In a process started with closed standard streams, new files get 0, 1 and 2, which the child's must not be."""
    if sys.platform == "win32" or descriptor > 2:
        return descriptor
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return moved
