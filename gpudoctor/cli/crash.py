"""Our own bug: a report that can be pasted, with the user's home folder left out of it."""

import os
import platform
import sys
import traceback

import click

from gpudoctor import __version__


def report_crash() -> int:
    """Print the crash being handled, ready to paste; returns the exit code for it."""
    home = os.path.expanduser("~")
    trace = traceback.format_exc()
    if len(home) > 1:
        trace = trace.replace(home, "~")
    trace = _safe(trace)
    click.echo(
        f"gpudoctor met a bug of its own and stopped; {_changed()}. Please report it with these lines:\n\n"
        f"gpudoctor {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}\n"
        f"command: gpudoctor {' '.join(sys.argv[1:2])}\n\n{trace}",
        err=True,
    )
    return 4


def _changed() -> str:
    if sys.argv[1:2] in (["install"], ["fix"], ["undo"]):
        return "`gpudoctor history` lists what was changed, and `gpudoctor undo` takes it back"
    return "nothing was changed"


def _safe(trace: str) -> str:
    """Without credentials and names: it will be pasted in public. The door failing must not hide the bug."""
    try:
        from gpudoctor.cli.sharing import door

        return door().text(trace)
    except Exception:  # noqa: BLE001 - we are reporting a bug already, and this may be the same one
        return "(the traceback could not be made safe to paste, so it is left out)"
