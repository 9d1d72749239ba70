"""Examines this machine within a time limit that holds even when the driver hangs."""

import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from gpudoctor.facts.base import Fact
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.host.port import Ran
from gpudoctor.host.real import RealHost

if TYPE_CHECKING:
    from gpudoctor.host.watch import Watch

#: Seconds that are kept for judging and writing, and for the child that must be killed.
RESERVE = 0.5
_LEAST = 0.05


class OutOfTime(BaseException):
    """The budget is spent. No Exception: nothing on the way may take it for a fault of its own."""


class Budget(Fact, frozen=True, kw_only=True):
    """Seconds for everything, and the moment (monotonic clock) at which they end."""

    seconds: float
    ends: float

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return self.ends - time.monotonic()


def parse_seconds(text: str) -> float | None:
    """The seconds of 2s, 1500ms, 5m or 30; None for what is no time between 1 s and 60 min."""
    match = re.fullmatch(r"(\d{1,4}(?:\.\d+)?)(ms|s|m)?", text.strip())
    seconds = float(match[1]) * {"ms": 0.001, "s": 1, "m": 60, None: 1}[match[2]] if match else 0.0
    return seconds if 1 <= seconds <= 3600 else None


def budget_of(seconds: float) -> Budget:
    """A budget that began with this process, whose imports are part of it."""
    return Budget(seconds=seconds, ends=time.monotonic() + seconds - _seconds_since_start())


@contextmanager
def held_to(budget: Budget) -> Iterator[None]:
    """Raises OutOfTime in the main thread shortly before the budget ends (not on Windows, which has no such alarm)."""
    if sys.platform == "win32":
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal calls it
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(0.001, budget.left - _LEAST * 3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class HurriedHost(RealHost):
    """The local machine, where no child is waited for beyond the budget."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget
        #: A child was stopped before the time that its caller would have given it.
        self.cut_short = False

    def run(
        self,
        argv: tuple[str, ...],
        *,
        timeout: float,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        cap: int = 1024 * 1024,
        watch: "Watch | None" = None,
    ) -> Ran:
        """Run a child to its end, its deadline or that of the budget."""
        given = max(_LEAST, min(timeout, self._budget.left - RESERVE))
        ran = super().run(argv, timeout=given, env=env, stdin=stdin, cap=cap, watch=watch)
        self.cut_short |= given < timeout and ran.outcome in ("timed-out", "abandoned")
        return ran


def without_hasty_verdict(snapshot: Snapshot) -> Snapshot:
    """The snapshot of a look that was cut short, in which a driver that did not answer yet is not said to hang.

    Without persistence mode a driver takes a second or so for each GPU before it answers.
    """
    from msgspec import structs

    from gpudoctor.facts.driver import Driver

    if not isinstance(snapshot.driver, Driver):
        return snapshot
    driver = snapshot.driver
    answers = {"nvml": _if_ended(driver.nvml), "cuda_init": _if_ended(driver.cuda_init)}
    return structs.replace(snapshot, driver=structs.replace(driver, **answers))


def _if_ended(answer: Answer | None) -> Answer | None:
    return None if answer is not None and answer.outcome in ("timed-out", "stuck") else answer


def _seconds_since_start() -> float:
    """Seconds since this process was started, as the kernel counts (proc(5), starttime); 0 where it does not say."""
    if sys.platform != "linux":
        return 0.0
    import os

    try:
        with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return 0.0
