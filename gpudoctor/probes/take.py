"""Takes a snapshot: every probe once, those that wait for child processes side by side with the rest."""

import traceback
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, TypeVar

from gpudoctor import __version__
from gpudoctor.host.aside import Aside
from gpudoctor.host.port import Host
from gpudoctor.model.base import Gap, Section
from gpudoctor.model.codec import presentable
from gpudoctor.model.driver import Answer
from gpudoctor.model.python import Frameworks, Interpreter, Packages
from gpudoctor.model.snapshot import Doctor, Snapshot

T = TypeVar("T")


def take_snapshot(host: Host, python: str | None = None) -> Snapshot:
    """All facts of one look at `host`, and at the interpreter `python` (a path; None: as the environment says)."""
    crashes: list[str] = []
    asked_target = Aside(lambda: _look_at_target(host, python, crashes))
    asked_gpus = Aside(lambda: _look_at_gpus(host, crashes))
    sections = {**_look_at_machine(host, crashes), **asked_gpus.result(), **asked_target.result()}
    return Snapshot(
        taken_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        doctor=Doctor(version=__version__, crashes=tuple(crashes)),
        **sections,
    )


# Each look imports its own probes: its child is started before the others' code is read from disk.


def _look_at_machine(host: Host, crashes: list[str]) -> dict[str, Any]:
    from gpudoctor.probes import container, environ, system, toolkits

    return {
        "host": _guarded(crashes, lambda: system.probe(host)),
        "container": _guarded(crashes, lambda: container.probe(host)),
        "environ": _guarded(crashes, lambda: environ.probe(host)),
        "toolkits": _guarded(crashes, lambda: toolkits.probe(host)),
    }


def _look_at_gpus(host: Host, crashes: list[str]) -> dict[str, Any]:
    from gpudoctor.probes import gpus
    from gpudoctor.probes.nvidia_answers import CudaFacts, NvmlFacts

    answers = _guarded(crashes, lambda: gpus.probe(host))
    if isinstance(answers, Gap):
        not_asked = Answer(outcome="not-asked")
        answers = (answers, NvmlFacts(nvml=not_asked), CudaFacts(cuda_init=not_asked))
    found, nvml, cuda = answers
    from gpudoctor.probes import driver

    return {"gpus": found, "driver": _guarded(crashes, lambda: driver.probe(host, nvml, cuda))}


def _look_at_target(host: Host, python: str | None, crashes: list[str]) -> dict[str, Any]:
    """The target's sections; each needs the one before it, and is a Gap or absent where that is."""
    from gpudoctor.probes import target

    seen = {"interpreter": _guarded(crashes, lambda: target.probe(host, target.choose(host, python)))}
    interpreter = seen["interpreter"]
    if not isinstance(interpreter, Interpreter):
        gap = Gap(reason="the interpreter could not be examined")
        return {**seen, "packages": gap, "frameworks": gap, "libraries": gap}
    from gpudoctor.probes import frameworks, libraries, packages

    installed = _guarded(crashes, lambda: packages.probe(host, interpreter))
    if not isinstance(installed, Packages):
        return {**seen, "packages": installed, "frameworks": installed, "libraries": installed}
    found = _guarded(crashes, lambda: frameworks.probe(host, interpreter, installed))
    copies: object = found
    if isinstance(found, Frameworks):
        copies = _guarded(crashes, lambda: libraries.probe(host, interpreter, installed, found))
    return {**seen, "packages": installed, "frameworks": found, "libraries": copies}


def _guarded(crashes: list[str], probe: Callable[[], T]) -> T | Gap:
    """What the probe returns. One that raises is our bug: noted with its traceback, and its section was not seen."""
    try:
        seen = probe()
        return presentable(seen) if isinstance(seen, Section) else seen
    except Exception:  # noqa: BLE001 - one probe's bug must not take the other sections with it
        crashes.append(traceback.format_exc())
        return Gap(reason="gpudoctor itself failed here; see the crash report")
