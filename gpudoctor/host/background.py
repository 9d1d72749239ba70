"""Runs a function in a thread, so that waiting for a child process does not hold up the rest."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Aside(Generic[T]):
    """A call under way in a thread. The thread never outlives the process.

    Where the system gives no thread (a limit on processes), the call is made at once, and the caller waits for it.
    """

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._error: BaseException | None = None
        self._done = threading.Event()
        try:
            threading.Thread(target=self._run, daemon=True).start()
        except RuntimeError:  # can't start new thread
            self._run()

    def _run(self) -> None:
        try:
            self._value = self._call()
        except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
            self._error = error
        finally:
            self._done.set()

    def result(self, timeout: float | None = None) -> T:
        """What the call returned, waiting for it; raises what it raised, and TimeoutError after `timeout` seconds."""
        # Not Thread.join: interrupted by Ctrl-C, it takes the thread for ended ever after (CPython before 3.13).
        if not self._done.wait(timeout):
            raise TimeoutError
        if self._error is not None:
            raise self._error
        return self._value
