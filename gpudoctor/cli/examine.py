"""Where a snapshot comes from: this machine, or a file."""

import sys
from collections.abc import Callable

import click

from gpudoctor.model.codec import MAX_BYTES, NotASnapshot, decode_snapshot
from gpudoctor.model.snapshot import Snapshot


class CannotExamine(click.ClickException):
    """What was to be examined could not be."""

    exit_code = 3


def begin_to_examine(python: str | None) -> Callable[[], Snapshot]:
    """Begin a fresh look at this machine; the call that is returned finishes it.

    To be called by the main thread before any other is started. Raises click.UsageError for a `--python` that names no
    interpreter.
    """
    # Imported here: judging a saved snapshot needs no probes.
    from gpudoctor.host.real import RealHost
    from gpudoctor.probes.take import begin_snapshot
    from gpudoctor.probes.target import choose

    host = RealHost()
    if python is not None and (fault := choose(host, python).fault):
        raise click.BadParameter(fault.reason, param_hint="--python")
    return begin_snapshot(host, python, fork=sys.platform == "linux")


def read_snapshot(source: str) -> Snapshot:
    """The snapshot in a file, or on standard input for "-". Raises CannotExamine."""
    try:
        with click.open_file(source, "rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise click.BadParameter(f"{source}: {error.strerror}", param_hint="--from") from None
    try:
        return decode_snapshot(raw)
    except NotASnapshot as error:
        raise CannotExamine(f"{source} cannot be judged: {error}") from None
