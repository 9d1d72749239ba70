"""Runs several agent tasks (list devices, train, measure) in one process, so that the framework is imported once.

Arguments: the names of scripts beside this one, devices_torch smoke_torch. Before each it says which one begins, on its
channel and on standard error. A task that fails does not keep the next from being tried, but for a failed import.

Each finds in the request, as "done", the names of those that were done before it.

Where the request has "turns", the work after the import waits for every other process that does the same: frameworks
are imported side by side, and use a GPU one after the other.
"""

import importlib
import sys

from agent_channel import MARK, Channel, thrown

#: The stage in which a process waits for its turn.
WAITING = "wait for the GPU"


def main(names):
    """Do the tasks of these names."""
    end_with_parent()
    scripts = [importlib.import_module(name) for name in names]
    turn = Turn()
    channel = Channel()
    channel.run(lambda channel: do_all(channel, zip(names, scripts), turn))


def end_with_parent():
    """On Linux: die when the one who asks is killed, since only he keeps the deadline (prctl(2), PR_SET_PDEATHSIG)."""
    try:
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
    except (ImportError, AttributeError, OSError, TypeError):  # another system, or a Python without ctypes
        pass


def do_all(channel, tasks, turn):
    """Do each task; end at a framework that cannot be imported."""
    for name, script in tasks:
        task, framework = name.split("_", 1)
        channel.request.update(task=task, framework=framework)
        channel.fact("task", task=task, framework=framework)
        sys.stderr.write("\n{}{}\n".format(MARK, name))
        sys.stderr.flush()
        try:
            if channel.request.get("turns"):
                turn.wait(channel, framework)
            script.main(channel)
            channel.request.setdefault("done", []).append(name)
        except BaseException as error:
            channel.fact("failed", **thrown(error))
            if framework not in sys.modules:
                return


class Turn:
    """Held by one process at a time, and let go of with its end. A lock on this very file: nothing is written."""

    def __init__(self):
        try:
            import fcntl

            self._lock = fcntl.flock
            self._file = open(__file__, "rb")  # noqa: SIM115 - open until the process ends
        except Exception:  # Windows: there the processes are run one after the other
            self._file = None
        self._mine = self._file is None

    def wait(self, channel, framework):
        """Import the framework, then wait until no other process has the turn."""
        if self._mine:
            return
        self._mine = True
        with channel.stage("import " + framework):
            importlib.import_module(framework)
        with channel.stage(WAITING):
            try:
                self._lock(self._file, 2)  # LOCK_EX
            except OSError:  # a file system without locks
                return


if __name__ == "__main__":
    main(sys.argv[1:])
