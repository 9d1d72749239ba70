"""The way back: of a finished change on request, of one that was cut short whenever it is found."""

import os
from contextlib import suppress

from msgspec import structs

from gpudoctor.apply import journal
from gpudoctor.apply.disk_usage import own_size_of
from gpudoctor.apply.distributions import differences, installed
from gpudoctor.apply.events import Beside, Carried, Event, Left, Mended, Removing, Switched, Tell, progress
from gpudoctor.apply.in_place import ASIDE, restore_content
from gpudoctor.apply.in_use import users_of
from gpudoctor.apply.journal import UNFINISHED, Change, write
from gpudoctor.apply.lock import Lock
from gpudoctor.apply.moving import Moved
from gpudoctor.apply.removal import remove, remove_empty
from gpudoctor.apply.signals import undisturbed
from gpudoctor.apply.swap import exchange, identity, settle
from gpudoctor.apply.user_files import carry_over


class CannotUndo(RuntimeError):
    """It stays as it is; the message says why."""


#: Paths that are named of those that were carried over.
NAMED = 20


def _silent(_: Event) -> None:
    pass


def undo(change: Change, *, anyway: bool = False, tell: Tell = _silent) -> Change:
    """Put back what was there before a change, finished or not. Raises CannotUndo, Busy, OSError.

    What users wrote goes along. `anyway`: what was installed or removed since then is lost. It is told when the
    environment is in place; what is then removed may be large.
    """
    with Lock(change.environment):
        sweep(change.environment, tell)
        change = _current(change)
        if change.state not in UNFINISHED:
            _check(change, anyway=anyway)
        with undisturbed():
            change = _finish(change, tell) if change.state in UNFINISHED else _put_back(change, tell)
        tell(Switched(environment=change.environment))
        remove_tree(change, tell)
    remove_empty(change.made)
    return change


def _finish(change: Change, tell: Tell) -> Change:
    mend(change, tell, keep=True)
    return write(change, state="undone", reason="it was cut short")


def sweep(environment: str, tell: Tell = _silent) -> None:
    """Remove what earlier runs were ended in removing. Only with the lock."""
    for change in journal.load_changes(environment):
        if is_left(change):
            remove_tree(change, tell)


def is_left(change: Change) -> bool:
    """Whether its folder is still there, and is of no use any more."""
    return change.state in ("undone", "failed", "forgotten") and os.path.isdir(change.folder)


def remove_tree(change: Change, tell: Tell = _silent) -> None:
    """Remove the folder of a change, and tell how far that is; what users wrote into it goes to the environment."""
    if not os.path.isdir(change.folder):
        return
    _rescue(change, tell)
    whole = own_size_of(change.folder)
    if users := users_of(change.folder, working=True):
        tell(Left(path=change.folder, of_bytes=whole, users=users))
        return
    tell(Removing(path=change.folder, of_bytes=whole))
    remove(change.folder, progress(whole, tell))
    if os.path.isdir(change.folder):
        tell(Left(path=change.folder, of_bytes=own_size_of(change.folder)))


def _rescue(change: Change, tell: Tell) -> None:
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


def carried(change: Change, moved: Moved) -> Carried:
    """What is told of it."""
    paths = moved.carried + moved.dropped
    named = tuple(_readable(path) for path in paths[:NAMED])
    kept = tuple(Beside(path=_readable(one.path), beside=_readable(one.beside)) for one in moved.kept)
    return Carried(environment=change.environment, files=len(paths), paths=named, kept=kept, unsorted=moved.unsorted)


def _readable(path: str) -> str:
    """A path as text; it need not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "replace")


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


def _put_back(change: Change, tell: Tell) -> Change:
    if change.kind == "new":
        _carry_out_of_new(change, tell)
    else:
        _carry_back(change, tell)
    change = write(change, state="undoing", staged=identity(change.environment))
    _change_places(change, tell)
    return write(change, state="undone")


def _carry_out_of_new(change: Change, tell: Tell, *, half: bool = False) -> None:
    """What is put in place of a new environment is what the user has in it."""
    os.makedirs(change.folder, 0o700, exist_ok=True)
    remove(change.tree)
    os.mkdir(change.tree)
    noted = journal.contents_of(change)
    write(change)
    journal.note_contents(change, noted.environment if noted else {}, {})
    _carry_back(change, tell, half=half, nothing_known=change.way != "beside" or noted is None)


def _carry_back(change: Change, tell: Tell, *, half: bool = False, nothing_known: bool = False) -> None:
    """What users wrote into the environment goes into the tree that takes its place."""
    noted = journal.contents_of(change)
    known = (None, None) if noted is None or nothing_known else (noted.environment, noted.tree)
    moved, here, there = carry_over(change.environment, change.tree, known, change.id, half=half)
    journal.note_contents(change, here, there)
    if moved:
        tell(carried(change, moved))


def _change_places(change: Change, tell: Tell) -> None:
    """The tree takes the environment's place; what was written until then goes along."""
    noted = journal.contents_of(change)
    if change.way == "inside":
        restore_content(change)
        gone = os.path.join(change.folder, ASIDE)
    else:
        exchange(change.environment, change.tree)
        gone = change.tree
    if noted is not None:
        moved, here, _ = carry_over(gone, change.environment, (noted.environment, noted.tree), change.id)
        journal.note_contents(change, moved.noted(noted.tree, here), here)
        if moved:
            tell(carried(change, moved))
    _remove_if_empty(change)


def _remove_if_empty(change: Change) -> None:
    """A new environment in which the user has nothing is removed whole."""
    if change.kind == "new":
        with suppress(OSError):
            os.rmdir(change.environment)


def mend(change: Change, tell: Tell = _silent, *, keep: bool = False, half: bool = True) -> str:
    """Put right what a run left that was cut short; how, in words. Only with the lock.

    `keep`: what is to be removed then stays for the caller. `half`: the installer may not have come to its end.
    """
    mend_it = _mend_inside if change.way == "inside" else _mend_beside
    how = mend_it(change, tell, half=half)
    if not keep:
        remove(change.folder)
    return how


def _mend_beside(change: Change, tell: Tell, *, half: bool) -> str:
    settle(change.environment, change.tree)
    tree, place = identity(change.tree), identity(change.environment)
    if change.state == "changing" and (place is None or place != change.staged):
        # Where it is, what is there is the copy, put back already.
        _restore(change, tell, half=half)
        return "the environment is as it was before"
    if change.state == "switching" and change.staged is not None and place == change.staged:
        _restore(change, tell)
        return "it had just been switched to; the environment is as it was before"
    if change.state == "undoing" and place == change.staged and tree is not None:
        _carry_back(change, tell)
        _change_places(change, tell)
        return "the undoing was finished"
    if change.state == "undoing":
        _rescue(structs.replace(change, state="undone"), tell)
        _remove_if_empty(change)
        return "the undoing was finished"
    return "what it had begun to build was removed; the environment is as it was"


def _mend_inside(change: Change, tell: Tell, *, half: bool) -> str:
    if change.state not in ("changing", "undoing"):
        return "what it had begun to build was removed; the environment is as it was"
    # Once entries were put aside, the environment is neither the one nor the other.
    if not os.path.isdir(os.path.join(change.folder, ASIDE)):
        _carry_back(change, tell, half=half and change.state == "changing")
    _change_places(change, tell)
    return "the undoing was finished" if change.state == "undoing" else "the environment is as it was before"


def _restore(change: Change, tell: Tell, *, half: bool = False) -> None:
    """The environment from before takes its place again."""
    if not os.path.lexists(change.environment):
        if change.kind != "new":
            os.rename(change.tree, change.environment)
        return
    if change.kind == "new":
        _carry_out_of_new(change, tell, half=half)
    else:
        _carry_back(change, tell, half=half)
    _change_places(change, tell)


def mend_unfinished(environment: str, tell: Tell = _silent) -> None:
    """Put right all earlier runs on this environment that were cut short. Only with the lock."""
    sweep(environment, tell)
    for change in journal.load_changes(environment):
        if change.state in UNFINISHED:
            how = mend(change, tell)
            write(change, state="undone" if change.state == "undoing" else "failed", reason="it was cut short")
            tell(Mended(id=change.id, how=how))


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
    remove_tree(write(change, state="forgotten"))
