"""Takes a snapshot: runs every probe once, slow ones in parallel."""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TypeVar

from gpudoctor import __version__
from gpudoctor.facts.base import Fact, Gap, Section
from gpudoctor.facts.codec import decode, presentable
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.python import Frameworks, Interpreter, Packages
from gpudoctor.facts.snapshot import Doctor, Snapshot
from gpudoctor.host.background import Aside
from gpudoctor.host.port import Host

if TYPE_CHECKING:
    from gpudoctor.probes.gpus.probe import Seen
    from gpudoctor.probes.target.choice import Choice, Fault
    from gpudoctor.probes.target.identity import Identity

T = TypeVar("T")


#: Seconds for reading the target's files; on a sound disk it takes a few hundredths.
_DEADLINE = 30.0


def take_snapshot(host: Host, python: str | None = None) -> Snapshot:
    """All facts of one look at `host`, and at the interpreter `python` (a path; None: as the environment says)."""
    return begin_snapshot(host, python, fork=False)()


def begin_snapshot(
    host: Host, python: str | None = None, *, fork: bool, seconds: float | None = None
) -> Callable[[], Snapshot]:
    """Begin to look; the call that is returned does the rest and gives the snapshot.

    With `fork` the target is looked at in a process of its own: on another core, and under a deadline. Then this must
    be the main thread, and the only one. What was not seen after `seconds` is a Gap.
    """
    crashes: list[str] = []
    until = None if seconds is None else time.monotonic() + seconds
    target = _begin_with_target(host, python, fork=fork)
    gpus = _begin_with_gpus(host, crashes)
    return lambda: _finish(host, target, gpus, crashes, until)


def _begin_with_target(host: Host, python: str | None, *, fork: bool) -> "_Apart | Aside[TargetSections]":
    if fork:
        # Where the system gives no further process, it is looked at in this one.
        with suppress(OSError):
            return _Apart(host, python)
    return Aside(lambda: look_at_target(host, python))


def _finish(
    host: Host,
    target: "_Apart | Aside[TargetSections]",
    gpus: Callable[[], dict[str, Any]],
    crashes: list[str],
    until: float | None,
) -> Snapshot:
    if until is None:
        sections = {**_look_at_machine(host, crashes), **gpus()}
    else:
        # Each in a thread: where one is held, the other is still seen in time.
        asked_gpus, asked_machine = Aside(gpus), Aside(lambda: _look_at_machine(host, crashes))
        sections = {
            **_in_time(asked_machine, until, lambda late: dict.fromkeys(_OF_MACHINE, late)),
            **_in_time(asked_gpus, until, lambda late: dict.fromkeys(_OF_GPUS, late)),
        }
    seen = _in_time(
        target, until, lambda late: TargetSections(interpreter=late, packages=late, frameworks=late, libraries=late)
    )
    return Snapshot(
        taken_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        doctor=Doctor(version=__version__, crashes=(*crashes, *seen.crashes)),
        interpreter=seen.interpreter,
        packages=seen.packages,
        frameworks=seen.frameworks,
        libraries=seen.libraries,
        **sections,
    )


def _in_time(asked: "Aside[T] | _Apart", until: float | None, otherwise: Callable[[Gap], T]) -> Any:
    try:
        return asked.result(None if until is None else max(0.01, until - time.monotonic()))
    except TimeoutError:
        return otherwise(Gap(reason="it was not seen in the time that was given"))


class TargetSections(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """What is seen of the target; each section needs the one before it."""

    interpreter: Interpreter | Gap
    packages: Packages | Gap
    frameworks: Frameworks | Gap | None
    libraries: Libraries | Gap | None
    crashes: tuple[str, ...] = ()


class _Apart:
    """The look at the target, in a fork."""

    def __init__(self, host: Host, python: str | None) -> None:
        # Imported here: there is no fork on Windows.
        from gpudoctor.probes.early_look import begun

        self._forked = begun(host, python)

    def result(self, timeout: float | None) -> TargetSections:
        raw = self._forked.result(_DEADLINE if timeout is None else timeout)
        if isinstance(raw, Gap):
            return TargetSections(interpreter=raw, packages=raw, frameworks=raw, libraries=raw)
        return decode(raw, TargetSections)


_OF_MACHINE = ("host", "container", "environ", "toolkits")
_OF_GPUS = ("gpus", "driver")

# Each look imports its own probes: children are started before the others' code is read from disk.


def _look_at_machine(host: Host, crashes: list[str]) -> dict[str, Any]:
    from gpudoctor.probes.container import probe as container
    from gpudoctor.probes.environ import probe as environ
    from gpudoctor.probes.system import probe as system
    from gpudoctor.probes.toolkits import probe as toolkits

    return {
        "host": _guarded(crashes, lambda: system.probe(host)),
        "container": _guarded(crashes, lambda: container.probe(host)),
        "environ": _guarded(crashes, lambda: environ.probe(host)),
        "toolkits": _guarded(crashes, lambda: toolkits.probe(host)),
    }


def _begin_with_gpus(host: Host, crashes: list[str]) -> Callable[[], dict[str, Any]]:
    from gpudoctor.probes.gpus import probe as gpus

    begun = _guarded(crashes, lambda: gpus.begin(host))
    return lambda: _look_at_gpus(host, begun, crashes)


def _look_at_gpus(host: Host, begun: "Callable[[], Seen] | Gap", crashes: list[str]) -> dict[str, Any]:
    from gpudoctor.probes.nvidia.children import CudaFacts, NvmlFacts

    answers = begun if isinstance(begun, Gap) else _guarded(crashes, begun)
    if isinstance(answers, Gap):
        not_asked = Answer(outcome="not-asked")
        answers = (answers, NvmlFacts(nvml=not_asked), CudaFacts(cuda_init=not_asked))
    found, nvml, cuda = answers
    from gpudoctor.probes.driver import probe as driver

    return {"gpus": found, "driver": _guarded(crashes, lambda: driver.probe(host, nvml, cuda))}


def look_at_target(host: Host, python: str | None) -> TargetSections:
    """What is seen of the target, once its interpreter has said who it is."""
    from gpudoctor.probes.target.choice import choose
    from gpudoctor.probes.target.identity import identify

    choice = choose(host, python)
    return look_with(host, choice, Aside(lambda: identify(host, choice)))


def look_with(host: Host, choice: "Choice", asked: "Aside[Identity | Fault]") -> TargetSections:
    """The same for an interpreter that is being asked."""
    # Read from disk while the interpreter answers.
    from gpudoctor.probes.frameworks import probe as frameworks
    from gpudoctor.probes.libraries import probe as libraries
    from gpudoctor.probes.packages import probe as packages
    from gpudoctor.probes.target import probe as target

    crashes: list[str] = []
    interpreter = _guarded(crashes, lambda: target.probe(host, choice, asked.result()))
    if isinstance(interpreter, Gap):
        gap = Gap(reason="the interpreter could not be examined")
        return TargetSections(
            interpreter=interpreter, packages=gap, frameworks=gap, libraries=gap, crashes=tuple(crashes)
        )
    installed = _guarded(crashes, lambda: packages.probe(host, interpreter))
    found: Frameworks | Gap | None = installed if isinstance(installed, Gap) else None
    copies: Libraries | Gap | None = installed if isinstance(installed, Gap) else None
    if isinstance(installed, Packages):
        found = _guarded(crashes, lambda: frameworks.probe(host, interpreter, installed))
        copies = found if isinstance(found, Gap) else None
    if isinstance(installed, Packages) and isinstance(found, Frameworks):
        seen = found
        copies = _guarded(crashes, lambda: libraries.probe(host, interpreter, installed, seen))
    return TargetSections(
        interpreter=interpreter, packages=installed, frameworks=found, libraries=copies, crashes=tuple(crashes)
    )


def _guarded(crashes: list[str], probe: Callable[[], T]) -> T | Gap:
    """What the probe returns. One that raises is our bug: noted with its traceback, and its section was not seen."""
    try:
        seen = probe()
        return presentable(seen) if isinstance(seen, Section) else seen
    except Exception:  # noqa: BLE001 - one probe's bug must not take the other sections with it
        # Imported here: it should never be needed.
        import traceback

        crashes.append(traceback.format_exc())
        return Gap(reason="gpudoctor itself failed here; see the crash report")
