"""Where a snapshot comes from: this machine, with or without running frameworks, or a file."""

import os
import sys
from collections.abc import Callable, Mapping

from msgspec import structs

from gpudoctor.errors import CannotExamine, Misused
from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import MAX_BYTES, NotASnapshot, decode_snapshot
from gpudoctor.facts.live import Task
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.snapshot import Snapshot


def begin_to_examine(python: str | None) -> Callable[[], Snapshot]:
    """Begin a fresh look at this machine; the call that is returned finishes it.

    To be called by the main thread before any other is started. Raises Misused for a `--python` that names no
    interpreter.
    """
    # Imported here: judging a saved snapshot needs no probes.
    from gpudoctor.host.real import RealHost
    from gpudoctor.probes.take import begin_snapshot
    from gpudoctor.probes.target.choice import choose

    host = RealHost()
    if python is not None and (fault := choose(host, python).fault):
        raise Misused(fault.reason, "--python")
    return begin_snapshot(host, python, fork=sys.platform == "linux")


def run_frameworks(
    snapshot: Snapshot,
    *,
    tasks: tuple[Task, ...] = ("devices", "smoke"),
    only: tuple[str, ...] | None = None,
    devices: tuple[str, ...] | None = None,
    data: str = "generated",
    quick: bool = True,
    deadline: float | None = None,
    quiet: bool = False,
    variables: Mapping[str, str] | None = None,
) -> tuple[Snapshot, bool]:
    """The snapshot with what the frameworks of its interpreter showed when they were run; whether all were.

    False: the user interrupted it, and what is there is a part. `variables`: beside those of the user.
    """
    interpreter, frameworks = snapshot.interpreter, snapshot.frameworks
    if not isinstance(interpreter, Interpreter) or isinstance(frameworks, Gap):
        why = next((gap.reason for gap in (interpreter, frameworks) if isinstance(gap, Gap)), "none was found")
        gap = Gap(reason=f"the frameworks could not be examined, so none was run: {why}")
        return structs.replace(snapshot, live=gap), True
    # Imported here: a look that runs nothing needs none of it.
    from gpudoctor.examine.progress import Progress
    from gpudoctor.host.real import RealHost
    from gpudoctor.probes.live.probe import DEADLINE, Interrupted, prove

    progress = Progress(quiet=quiet)
    try:
        with progress:
            live = prove(
                RealHost(env={**os.environ, **variables} if variables else None),
                interpreter,
                frameworks,
                tasks=tasks,
                only=only,
                devices=devices,
                data=data,
                quick=quick,
                deadline=deadline or DEADLINE,
                on_event=progress.on_event,
            )
    except Interrupted as stop:
        return structs.replace(snapshot, live=stop.live), False
    return structs.replace(snapshot, live=live if live.devices or live.smoke else None), True


def stated_in(path: str) -> Snapshot:
    """The facts in a snapshot, report or pasted text, without credentials. Raises CannotExamine."""
    # Imported here: this machine's own facts need no reader of texts.
    from gpudoctor.examine.tickets import Unreadable, read_input, subject_of
    from gpudoctor.knowledge.matrix.load import load_matrix
    from gpudoctor.redact.credentials import fact_without_credentials

    try:
        return fact_without_credentials(subject_of(read_input(path), load_matrix()).snapshot)
    except Unreadable as error:
        raise CannotExamine(f"{path} cannot be read: {error}.") from None


def read_snapshot(source: str) -> Snapshot:
    """The snapshot in a file, or on standard input for "-". Raises CannotExamine."""
    # Imported here: a look at this machine reads no file that was named.
    from gpudoctor.host.safe_files import read_named

    try:
        raw = read_named(source, MAX_BYTES + 1)
    except OSError as error:
        raise Misused(f"{source}: {error.strerror}", "--from") from None
    try:
        return decode_snapshot(raw)
    except NotASnapshot as error:
        raise CannotExamine(f"{source} cannot be judged: {error}") from None
