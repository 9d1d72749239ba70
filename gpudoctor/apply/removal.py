"""Deletes the folders of old changes, so that a deletion that was interrupted can be resumed."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from gpudoctor.apply import journal


def remove(folder: str, tick: Callable[[int], None] = lambda _: None) -> None:
    """Remove the folder of a change; its journal last, so that a removal that is cut short can be found.

    `tick` is called with the bytes of what was removed.
    """
    with suppress(FileNotFoundError):
        last = (journal.CONTENTS, journal.JOURNAL)
        for name in os.listdir(folder):
            if name not in last:
                _remove(os.path.join(folder, name), tick)
        if set(os.listdir(folder)) <= set(last):
            for name in last:
                _remove(os.path.join(folder, name), tick)
            os.rmdir(folder)


@contextmanager
def _not_empty() -> Iterator[None]:
    """Somebody who works in the folder made something new there."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise


def _remove(path: str, tick: Callable[[int], None]) -> None:
    with suppress(FileNotFoundError), _not_empty():
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode):
            os.unlink(path)
            tick(found.st_size if found.st_nlink == 1 else 0)
            return
        if found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            # Packages may hold folders that cannot be written. Never of a file: the environment's may be the same.
            os.chmod(path, 0o700)
        for name in os.listdir(path):
            _remove(os.path.join(path, name), tick)
        os.rmdir(path)


def remove_empty(folders: tuple[str, ...]) -> None:
    """Remove folders that were made for an environment, the innermost first, unless something is in them."""
    for folder in folders:
        with suppress(OSError):
            os.rmdir(folder)
