"""What the Linux kernel says a process is doing: its state letter and the kernel function it sleeps in."""

import os


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
