"""What is kept to undo a change: removed once it is of no use, forgotten on request or for newer ones."""

import os

from gpudoctor.apply import journal
from gpudoctor.apply.disk_usage import own_size_of
from gpudoctor.apply.events import Left, Removing, Tell, progress, silent
from gpudoctor.apply.in_place import ASIDE
from gpudoctor.apply.in_use import users_of
from gpudoctor.apply.journal import UNFINISHED, Change, write
from gpudoctor.apply.lock import Lock
from gpudoctor.apply.put_back import carried
from gpudoctor.apply.removal import remove
from gpudoctor.apply.user_files import carry_over


class CannotUndo(RuntimeError):
    """It stays as it is; the message says why."""


def sweep(environment: str, tell: Tell = silent) -> None:
    """Remove what earlier runs were ended in removing. Only with the lock."""
    for change in journal.load_changes(environment):
        if is_left(change):
            remove_tree(change, tell)


def is_left(change: Change) -> bool:
    """Whether its folder is still there, and is of no use any more."""
    return change.state in ("undone", "failed", "forgotten") and os.path.isdir(change.folder)


def remove_tree(change: Change, tell: Tell = silent) -> None:
    """Remove the folder of a change, and tell how far that is; what users wrote into it goes to the environment."""
    if not os.path.isdir(change.folder):
        return
    rescue(change, tell)
    whole = own_size_of(change.folder)
    if users := users_of(change.folder, working=True):
        tell(Left(path=change.folder, of_bytes=whole, users=users))
        return
    tell(Removing(path=change.folder, of_bytes=whole))
    remove(change.folder, progress(whole, tell))
    if os.path.isdir(change.folder):
        tell(Left(path=change.folder, of_bytes=own_size_of(change.folder)))


def rescue(change: Change, tell: Tell) -> None:
    """Who had the other tree open may have written into it after the switch."""
    if change.way == "beside" and change.staged is None:
        return  # It never was the environment: what is in it is an installer's.
    known = journal.contents_of(change)
    tree = os.path.join(change.folder, ASIDE) if change.way == "inside" else change.tree
    if known is None or not os.path.isdir(tree) or not os.path.isdir(change.environment):
        return
    if change.state in ("done", "forgotten", "undone"):
        moved, _, _ = carry_over(tree, change.environment, (known.tree, known.environment), change.id)
        if moved:
            tell(carried(change, moved))


def current(change: Change) -> Change:
    """The journal as it is now that nobody else writes it."""
    return next((one for one in journal.load_changes(change.environment) if one.id == change.id), change)


def forget(change: Change) -> None:
    """Remove what is kept to undo a finished change. Raises CannotUndo, Busy."""
    with Lock(change.environment):
        change = current(change)
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
    remove_tree(write(change, state="forgotten"))
