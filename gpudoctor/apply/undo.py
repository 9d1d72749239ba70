"""The way back: of a finished change on request, of one that was cut short whenever it is found."""

import os
import shutil
from contextlib import suppress

from gpudoctor.apply import journal
from gpudoctor.apply.distributions import differences, installed
from gpudoctor.apply.events import Mended
from gpudoctor.apply.inside import restore_content
from gpudoctor.apply.journal import UNFINISHED, Change, write
from gpudoctor.apply.lock import Lock
from gpudoctor.apply.signals import undisturbed
from gpudoctor.apply.switch import exchange, identity, settle


class CannotUndo(RuntimeError):
    """It stays as it is; the message says why."""


def undo(change: Change, *, anyway: bool = False) -> Change:
    """Put back what was there before a change, finished or not. Raises CannotUndo, Busy, OSError.

    `anyway`: also what was installed or removed since then is lost.
    """
    with Lock(change.environment):
        change = _current(change)
        if change.state not in UNFINISHED:
            _check(change, anyway=anyway)
        with undisturbed():
            undone = _finish(change) if change.state in UNFINISHED else _put_back(change)
    remove_empty(change.made)
    return undone


def _finish(change: Change) -> Change:
    mend(change)
    return write(change, state="undone")


def _current(change: Change) -> Change:
    """The journal as it is now that nobody else writes it."""
    return next((one for one in journal.load_changes(change.environment) if one.id == change.id), change)


def _check(change: Change, *, anyway: bool) -> None:
    if change.state != "done":
        raise CannotUndo(f"{change.id} is {change.state} already; there is nothing to take back")
    every = journal.load_changes(change.environment)
    place = next((number for number, one in enumerate(every) if one.id == change.id), len(every))
    later = [one.id for one in every[place + 1 :] if one.state == "done"]
    if later:
        raise CannotUndo(f"{change.id} is not the last change of {change.environment}; undo {later[-1]} first")
    if change.kind != "new" and not os.path.isdir(change.tree):
        raise CannotUndo(f"what was there before is not kept any more ({change.tree} is gone)")
    if not os.path.isdir(change.environment):
        raise CannotUndo(f"{change.environment} is gone")
    since = differences(change.after, installed(change.environment))
    if since and not anyway:
        raise CannotUndo(
            f"packages of {change.environment} were changed since then ({'; '.join(since[:6])}), and that would be "
            "lost, too. To do it all the same: --anyway"
        )


def _put_back(change: Change) -> Change:
    os.makedirs(change.folder, 0o700, exist_ok=True)
    change = write(change, state="undoing", staged=identity(change.environment))
    if change.way == "inside":
        restore_content(change)
    elif change.kind == "new":
        os.rename(change.environment, change.tree)
    else:
        exchange(change.environment, change.tree)
    change = write(change, state="undone")
    remove(change.folder)
    return change


def remove_empty(folders: tuple[str, ...]) -> None:
    """Remove folders that were made for an environment, the innermost first, unless something is in them."""
    for folder in folders:
        with suppress(OSError):
            os.rmdir(folder)


def mend(change: Change) -> str:
    """Put right what a run left that was cut short; how, in words. Only with the lock."""
    if change.way == "inside":
        return _mend_inside(change)
    settle(change.environment, change.tree)
    tree, place = identity(change.tree), identity(change.environment)
    if change.state == "changing" and (place is None or place != change.staged):
        # Where it is, what is there is the copy, put back already.
        _restore(change)
        how = "the environment is as it was before"
    elif change.state == "switching" and change.staged is not None and place == change.staged:
        _restore(change)
        how = "it had just been switched to; the environment is as it was before"
    elif change.state == "undoing" and change.kind != "new" and place == change.staged and tree is not None:
        exchange(change.environment, change.tree)
        how = "the undoing was finished"
    elif change.state == "undoing" and change.kind == "new" and place == change.staged:
        os.rename(change.environment, change.tree)
        how = "the undoing was finished"
    else:
        how = "what it had begun to build was removed; the environment is as it was"
    remove(change.folder)
    return how


def _mend_inside(change: Change) -> str:
    how = "what it had begun to build was removed; the environment is as it was"
    if change.state in ("changing", "undoing"):
        restore_content(change)
        undoing = change.state == "undoing"
        how = "the undoing was finished" if undoing else "the environment is as it was before"
    remove(change.folder)
    return how


def _restore(change: Change) -> None:
    """The environment from before takes its place again."""
    if change.kind == "new":
        if os.path.lexists(change.environment):
            os.rename(change.environment, change.tree)
    elif os.path.lexists(change.environment):
        exchange(change.environment, change.tree)
    else:
        os.rename(change.tree, change.environment)


def mend_unfinished(environment: str) -> tuple[Mended, ...]:
    """Put right all earlier runs on this environment that were cut short. Only with the lock."""
    mended = []
    for change in journal.load_changes(environment):
        if change.state in ("undone", "failed", "forgotten"):
            remove(change.folder)
        if change.state in UNFINISHED:
            how = mend(change)
            write(change, state="undone" if change.state == "undoing" else "failed", reason="it was cut short")
            mended.append(Mended(id=change.id, how=how))
    return tuple(mended)


def remove(folder: str) -> None:
    """Remove the folder of a change; its journal last, so that a removal that is cut short can be found."""
    with suppress(FileNotFoundError):
        for name in os.listdir(folder):
            if name != journal.JOURNAL:
                path = os.path.join(folder, name)
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path, onerror=_writable)
                else:
                    os.unlink(path)
        shutil.rmtree(folder)


def _writable(function: object, path: str, info: object) -> None:  # noqa: ARG001 - shutil's signature
    """Packages may hold folders that cannot be written; they can be removed once they can."""
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    for folder in (os.path.dirname(path), *((path,) if is_folder else ())):
        # Never of a file: it may be the same as the environment's own.
        os.chmod(folder, 0o700)
    if is_folder:
        shutil.rmtree(path)
    else:
        os.unlink(path)


def forget(change: Change) -> None:
    """Remove what is kept to undo a finished change. Raises CannotUndo, Busy."""
    with Lock(change.environment):
        change = _current(change)
        if change.state in UNFINISHED:
            raise CannotUndo(f"{change.id} was cut short; `gpudoctor undo {change.id}` puts it right")
        _drop(change)
        journal.unlist(change)


def forget_older(environment: str, kept: int) -> None:
    """Keep the way back of the last changes only. With the lock."""
    done = [one for one in journal.load_changes(environment) if one.state == "done"]
    for old in done[:-kept]:
        _drop(old)


def _drop(change: Change) -> None:
    """Noted first: what is half removed must not be put back."""
    remove(write(change, state="forgotten").folder)
