"""Live progress on standard error: one line for each framework that runs, drawn again and again; nothing elsewhere."""

import os
import sys
import threading
import time
from types import TracebackType
from typing import NamedTuple

from gpudoctor.probes.live.transcript import Event

#: Seconds between two drawings.
_PAUSE = 0.25
_NAME = 12


class _At(NamedTuple):
    """Where a framework is, and since when; None: it has ended."""

    text: str
    since: float | None


class Progress:
    """Draws while it is entered. Takes events from any thread."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._shows = not quiet and is_terminal()
        self._at: dict[str, _At] = {}
        self._drawn = 0
        self._began = time.monotonic()
        self._end = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._draw_on, daemon=True)

    def __enter__(self) -> None:
        if self._shows:
            try:
                self._thread.start()
            except RuntimeError:  # no thread is to be had: nothing is drawn
                self._shows = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shows:
            self._end.set()
            self._thread.join(1)
            self._write(self._erased())

    def on_event(self, event: Event) -> None:
        """Note what happens."""
        ended = event.happens == "ends" and event.stage is None
        if event.happens == "begins" or ended:
            text = f"{event.task} {event.outcome}" if ended else event.stage or event.task
            with self._lock:
                self._at[event.framework] = _At(text, None if ended else time.monotonic())

    def _draw_on(self) -> None:
        while not self._end.wait(_PAUSE):
            with self._lock:
                lines = [_line(name, at) for name, at in sorted(self._at.items())]
            heading = f"Running frameworks in child processes, {time.monotonic() - self._began:.0f} s (Ctrl-C stops)"
            columns = terminal_width()
            shown = [line[: columns - 1] for line in (heading, *lines)]
            self._write(self._erased() + "".join(f"{line}\n" for line in shown))
            self._drawn = len(shown)

    def _erased(self) -> str:
        """What takes the last drawing away: up to its first line, and clear to the end (ECMA-48, CUU and ED)."""
        drawn, self._drawn = self._drawn, 0
        return f"\r\x1b[{drawn}A\x1b[J" if drawn else ""

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):  # the terminal is gone
            self._end.set()


def _line(name: str, at: _At) -> str:
    lasts = "" if at.since is None else f" ({time.monotonic() - at.since:.0f} s)"
    return f"  {name:<{_NAME}} {at.text}{lasts}"


def terminal_width() -> int:
    """The width of the terminal."""
    try:
        # A terminal that does not know its size says 0.
        return max(20, os.get_terminal_size(sys.stderr.fileno()).columns or 80)
    except (OSError, ValueError):
        return 80


def is_terminal() -> bool:
    """Whether a person sees what is written to standard error."""
    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:  # closed
        return False
