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
from gpudoctor.probes import container, driver, environ, frameworks, gpus, libraries, packages, system, target, toolkits
from gpudoctor.probes.nvidia_answers import CudaFacts, NvmlFacts

T = TypeVar("T")
_NOT_ASKED = Answer(outcome="not-asked")


def take_snapshot(host: Host, python: str | None = None) -> Snapshot:
    """All facts of one look at `host`, and at the interpreter `python` (a path; None: as the environment says)."""
    crashes: list[str] = []
    asked_gpus = Aside(lambda: _look_at_gpus(host, crashes))
    asked_target = Aside(lambda: _look_at_target(host, python, crashes))
    machine: dict[str, Any] = {
        "host": _guarded(crashes, lambda: system.probe(host)),
        "container": _guarded(crashes, lambda: container.probe(host)),
        "environ": _guarded(crashes, lambda: environ.probe(host)),
        "toolkits": _guarded(crashes, lambda: toolkits.probe(host)),
    }
    sections = {**machine, **asked_gpus.result(), **asked_target.result()}
    return Snapshot(
        taken_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        doctor=Doctor(version=__version__, crashes=tuple(crashes)),
        **sections,
    )


def _look_at_gpus(host: Host, crashes: list[str]) -> dict[str, Any]:
    answers = _guarded(crashes, lambda: gpus.probe(host))
    if isinstance(answers, Gap):
        answers = (answers, NvmlFacts(nvml=_NOT_ASKED), CudaFacts(cuda_init=_NOT_ASKED))
    found, nvml, cuda = answers
    return {"gpus": found, "driver": _guarded(crashes, lambda: driver.probe(host, nvml, cuda))}


def _look_at_target(host: Host, python: str | None, crashes: list[str]) -> dict[str, Any]:
    """The target's sections; each needs the one before it, and is a Gap or absent where that is."""
    seen = {"interpreter": _guarded(crashes, lambda: target.probe(host, target.choose(host, python)))}
    interpreter = seen["interpreter"]
    if not isinstance(interpreter, Interpreter):
        gap = Gap(reason="the interpreter could not be examined")
        return {**seen, "packages": gap, "frameworks": gap, "libraries": gap}
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
