"""Reports a bug of gpudoctor itself with a traceback that is safe to paste."""

import errno
import os
import platform
import sys
import traceback

from gpudoctor import __version__
from gpudoctor.report.output import say

#: What the machine has run out of, or does not let us do; errno.h.
_OF_THE_SYSTEM = frozenset({
    errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC,
    errno.EROFS,
})  # fmt: skip


def reason_outside(error: Exception) -> str | None:
    """Why it is the machine that stopped us, in a sentence; None where the error is a bug of ours."""
    no_thread = isinstance(error, RuntimeError) and "start new thread" in str(error)
    if no_thread or (isinstance(error, OSError) and error.errno == errno.EAGAIN):
        return "the system gives no further thread or process: a limit (ulimit -u, a container's pids) is reached."
    if isinstance(error, OSError) and error.errno in _OF_THE_SYSTEM:
        return f"the system refuses to go on: {error.strerror}."
    if isinstance(error, MemoryError):
        return "the system has no more memory for gpudoctor."
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] not in ("", "gpudoctor"):
        return (
            f"{error.name}, which gpudoctor needs, cannot be imported by {sys.executable} ({error})."
            " Install gpu-stack-doctor anew."
        )
    return None


def report_crash() -> int:
    """Print the crash being handled, ready to paste; returns the exit code for it."""
    home = os.path.expanduser("~")
    trace = traceback.format_exc()
    if len(home) > 1:
        trace = trace.replace(home, "~")
    trace = _safe(trace)
    say(
        f"gpudoctor met a bug of its own and stopped; {_changed()}. Please report it with these lines:\n\n"
        f"gpudoctor {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}\n"
        f"command: gpudoctor {' '.join(sys.argv[1:2])}\n\n{trace}"
    )
    return 4


def _changed() -> str:
    if sys.argv[1:2] in (["install"], ["fix"], ["undo"]):
        return "`gpudoctor history` lists what was changed, and `gpudoctor undo` takes it back"
    return "nothing was changed"


def _safe(trace: str) -> str:
    """Without credentials and names: it will be pasted in public. The door failing must not hide the bug."""
    error = sys.exc_info()[1]
    try:
        from gpudoctor.cli.redact_output import door

        return door().text(trace)
    except Exception:  # noqa: BLE001 - we are reporting a bug already, and this may be the same one
        return _bare(error)


def _bare(error: BaseException | None) -> str:
    """Where in our own code it happened and of what kind it is, without a value of the user's."""
    ours = os.path.dirname(os.path.dirname(__file__))
    frames = traceback.extract_tb(error.__traceback__ if error else None)
    lines = [
        f"  {os.path.relpath(frame.filename, ours)}:{frame.lineno} in {frame.name}"
        for frame in frames
        if frame.filename.startswith(ours)
    ]
    kind = type(error).__name__ if error else "an error"
    return "\n".join([*lines, f"{kind} (its text could not be made safe to paste, so it is left out)"])
