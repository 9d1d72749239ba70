"""Runs launch commands with ClusterShell, many at a time, each with a deadline."""

import shlex
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from gpudoctor.fleet.launch.reasons import reason_of
from gpudoctor.fleet.launch.request import Launch
from gpudoctor.fleet.node_names import FleetPartsMissing
from gpudoctor.fleet.record import NoAnswer

#: Called with each line that a node printed (None: the line says itself of which node it is).
OnLine = Callable[[str | None, bytes], None]
_CONNECT = 10
_TICK = 0.2
_SSH = "-oBatchMode=yes -oServerAliveInterval=10 -oServerAliveCountMax=3"
#: The key of a child that asks several nodes.
_JOB = "job"
_MOST_ERRORS = 20


class Launched:
    """How the launches went: for each of their nodes why there could be no answer."""

    def __init__(self) -> None:
        self.reasons: dict[str, NoAnswer] = {}


def run_launches(
    launches: Iterable[Launch], *, fanout: int, on_line: OnLine, pyz: bytes | None = None, ssh_options: str = ""
) -> Launched:
    """Run them all. Raises FleetPartsMissing; KeyboardInterrupt leaves no child behind."""
    try:
        from ClusterShell.Task import task_self, task_terminate
    except ImportError:
        raise FleetPartsMissing("ClusterShell") from None
    task, result = task_self(), Launched()
    task.set_info("fanout", fanout)
    task.set_info("connect_timeout", _CONNECT)
    task.set_info("ssh_options", f"{_SSH} {ssh_options}")
    for launch in launches:
        worker = _scheduled(task, launch, _listener(launch, result, on_line), sends=pyz is not None)
        if pyz is not None:
            worker.write(pyz)
        worker.set_write_eof()
    try:
        with _interrupts_noted() as interrupted:
            # Raised from here, not from the handler of the signal: what is raised while Python forks is swallowed.
            task.timer(_TICK, _stopper(interrupted), interval=_TICK, autoclose=True)
            task.resume()
    finally:
        task.abort()
        task_terminate()
    return result


@contextmanager
def _interrupts_noted() -> Iterator[list[int]]:
    """Ctrl-C fills the list."""
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


def _stopper(interrupted: list[int]) -> Any:
    from ClusterShell.Event import EventHandler

    class Stopper(EventHandler):  # type: ignore[misc]
        """Ends the run after Ctrl-C."""

        def ev_timer(self, timer: Any) -> None:  # noqa: ARG002
            """Look whether there was one."""
            if interrupted:
                raise KeyboardInterrupt

    return Stopper()


def _scheduled(task: Any, launch: Launch, listener: Any, *, sends: bool) -> Any:
    common = {"handler": listener, "timeout": launch.deadline, "stderr": True}
    if launch.argv is None:
        from ClusterShell.NodeSet import NodeSet

        return task.shell(launch.shell, nodes=NodeSet.fromlist(launch.nodes), stdin=sends, **common)
    from ClusterShell.Worker.Popen import WorkerPopen

    worker = WorkerPopen(f"exec {shlex.join(launch.argv)}", key=_JOB, **common)
    task.schedule(worker)
    return worker


def _listener(launch: Launch, result: Launched, on_line: OnLine) -> Any:
    """What hears the lines of one launch, and how its children end. The library gives the class to inherit from."""
    from ClusterShell.Event import EventHandler

    class Listener(EventHandler):  # type: ignore[misc]
        """The names and arguments are those of ClusterShell's events."""

        errors: dict[str, list[str]] = {}
        ended: dict[str, int | None] = {}

        def ev_read(self, worker: Any, node: Any, sname: str, msg: bytes) -> None:
            """Keep a line of output, or of the last errors."""
            if sname == worker.SNAME_STDOUT:
                on_line(None if launch.argv else str(node), msg)
            else:
                lines = self.errors.setdefault(str(node), [])
                lines.append(msg[:500].decode(errors="replace"))
                del lines[:-_MOST_ERRORS]

        def ev_hup(self, worker: Any, node: Any, rc: int | None) -> None:  # noqa: ARG002
            """Note how a child ended."""
            self.ended[str(node)] = rc

        def ev_close(self, worker: Any, timedout: bool) -> None:  # noqa: ARG002
            """Say of each node why there could be no answer."""
            for name in launch.nodes:
                key = _JOB if launch.argv else name
                errors = "\n".join(self.errors.get(key, []))
                result.reasons[name] = reason_of(
                    self.ended.get(key), errors, timed_out=timedout and self.ended.get(key) is None
                )

    listener = Listener()
    listener.errors, listener.ended = {}, {}
    return listener
