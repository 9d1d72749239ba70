"""Signals that ask to end (SIGTERM, SIGHUP) become KeyboardInterrupt; rolling back is not interrupted again."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Ctrl-C, kill, a closed terminal.
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


def _numbers() -> tuple[signal.Signals, ...]:
    return tuple(getattr(signal, name) for name in _ENDING if hasattr(signal, name))


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - signal's signature
    raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM and SIGHUP raise KeyboardInterrupt, as SIGINT does."""
    yield from _handled(_interrupt)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A few moments in which none of them has an effect; in which the environment is put back."""
    yield from _handled(signal.SIG_IGN)


def end_undisturbed() -> None:
    """Nothing of it has an effect any more, until what `interruptible` surrounds is over: what is done stays done."""
    if threading.current_thread() is threading.main_thread() and sys.platform != "win32":
        for number in _numbers():
            signal.signal(number, signal.SIG_IGN)


def _handled(handler: object) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return
    before = {number: signal.signal(number, handler) for number in _numbers()}  # type: ignore[arg-type]
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
