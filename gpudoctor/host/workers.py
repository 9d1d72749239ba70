"""Spreads work over child processes that never outlive this one, not even after Ctrl-C or a crash."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import active_children, get_all_start_methods, get_context
from types import FrameType
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


def in_processes(work: Callable[[T], R], pieces: Iterable[T], jobs: int) -> Iterator[R]:
    """What `work` makes of each piece, in their order. Where a process dies, the rest is done in this one."""
    # Imported here, as this module is: a single ticket needs no further process.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = get_context("fork" if "fork" in get_all_start_methods() else "spawn")
    waiting = list(pieces)
    done = 0
    with _ended_together(), ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin) as pool:
        try:
            for made in pool.map(work, waiting):
                done += 1
                yield made
        except BrokenProcessPool:
            pool.shutdown(wait=False)
        except BaseException:
            _kill_all()
            raise
    for piece in waiting[done:]:
        yield work(piece)


@contextmanager
def _ended_together() -> Iterator[None]:
    """A signal that ends us ends the workers first, at once: they hold nothing but our output's pipe."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    before = {number: signal.signal(number, _end) for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - signal's signature
    _kill_all()
    raise KeyboardInterrupt


def _kill_all() -> None:
    for child in active_children():
        child.kill()


def _begin() -> None:
    """In a worker: Ctrl-C is its parent's to answer, and without its parent it ends."""
    for name in _ENDING:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN if name == "SIGINT" else signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)
