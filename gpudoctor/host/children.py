"""Runs every child process that may hang or crash (NVML, CUDA, other programs), with deadline and output limit.

A child runs in its own session with nameless files for its output, is watched up to its deadline, and is stopped as a
group. `subprocess.run(timeout=…)` would not do: after the timeout it waits without limit for a child that cannot die.
"""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gpudoctor.host.port import Ran

if TYPE_CHECKING:
    from gpudoctor.host.watch import Watch

#: Output kept of each stream, bytes. A child that prints more is stopped.
CAP = 1024 * 1024


def run(
    argv: tuple[str, ...],
    *,
    timeout: float,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    cap: int = CAP,
    watch: "Watch | None" = None,
) -> Ran:
    """Run a child to its end or its deadline; returns at most 1.5 s after `timeout` seconds, whatever the child does.

    `argv[0]` is the path of the program; PATH is not searched. `env` replaces the environment, None inherits it.
    Whatever the child leaves behind in its session's first process group is killed when it ends. Never raises, except
    KeyboardInterrupt in the main thread, with the child killed.
    """
    if not argv or not _is_path(argv[0]):
        return Ran(argv=argv, outcome="not-started", reason="the full path of the program is needed")
    if sys.platform == "win32":
        from gpudoctor.host.children_windows import run_child
    else:
        from gpudoctor.host.children_posix import run_child
    return run_child(argv, timeout=timeout, env=env, stdin=stdin, cap=cap, watch=watch)


def stop_for_good() -> None:
    """Kill every running child and start no more: the process is ending (Ctrl-C). Threads in `run` return at once."""
    if sys.platform != "win32":
        from gpudoctor.host.children_posix import stop_for_good as stop
    else:
        from gpudoctor.host.children_windows import stop_for_good as stop
    stop()


def _is_path(program: str) -> bool:
    return "/" in program or (sys.platform == "win32" and "\\" in program)


def parse_state(stat: str) -> str | None:
    """The state letter in /proc/PID/stat (proc(5)); the command name before it may hold spaces and parentheses."""
    after = stat.rpartition(")")[2].split()
    return after[0] if after else None


def parse_wchan(text: str) -> str | None:
    """The kernel function in /proc/PID/wchan; "0" means running, or that we may not know."""
    return text.strip() if text.strip() not in ("", "0") else None


def read_state(pid: int) -> tuple[str | None, str | None]:
    """State and wchan of a process; of the thread in uninterruptible sleep (D) if one is. None where not readable.

    A process whose main thread has ended (Z) lives on while another of its threads sleeps in the driver.
    """
    threads = _threads(pid)
    stuck = next((thread for thread in threads if thread[1] == "D"), None)
    path, state = stuck or (threads[0] if threads else ("", None))
    return state, parse_wchan(read_proc(f"{path}/wchan")) if path else None


def _threads(pid: int) -> list[tuple[str, str | None]]:
    try:
        names = sorted(os.listdir(f"/proc/{pid}/task"), key=int)
    except OSError:
        return []
    paths = [f"/proc/{pid}/task/{name}" for name in names]
    return [(path, parse_state(read_proc(f"{path}/stat"))) for path in paths]


def read_proc(path: str) -> str:
    """The beginning of a file of /proc; "" where it is not readable."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(4096)
    except OSError:
        return ""
