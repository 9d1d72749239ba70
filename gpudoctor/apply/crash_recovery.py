"""Puts right what a run left that was cut short: killed, out of power, or ended by an error of its own."""

import os

from msgspec import structs

from gpudoctor.apply import journal
from gpudoctor.apply.backups import rescue, sweep
from gpudoctor.apply.events import Mended, Tell, silent
from gpudoctor.apply.in_place import ASIDE
from gpudoctor.apply.journal import UNFINISHED, Change, write
from gpudoctor.apply.put_back import carry_back, carry_out_of_new, change_places, remove_if_empty
from gpudoctor.apply.removal import remove
from gpudoctor.apply.swap import identity, settle


def mend_unfinished(environment: str, tell: Tell = silent) -> None:
    """Put right all earlier runs on this environment that were cut short. Only with the lock."""
    sweep(environment, tell)
    for change in journal.load_changes(environment):
        if change.state in UNFINISHED:
            how = mend(change, tell)
            write(change, state="undone" if change.state == "undoing" else "failed", reason="it was cut short")
            tell(Mended(id=change.id, how=how))


def mend(change: Change, tell: Tell = silent, *, keep: bool = False, half: bool = True) -> str:
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
        carry_back(change, tell)
        change_places(change, tell)
        return "the undoing was finished"
    if change.state == "undoing":
        rescue(structs.replace(change, state="undone"), tell)
        remove_if_empty(change)
        return "the undoing was finished"
    return "what it had begun to build was removed; the environment is as it was"


def _mend_inside(change: Change, tell: Tell, *, half: bool) -> str:
    if change.state not in ("changing", "undoing"):
        return "what it had begun to build was removed; the environment is as it was"
    # Once entries were put aside, the environment is neither the one nor the other.
    if not os.path.isdir(os.path.join(change.folder, ASIDE)):
        carry_back(change, tell, half=half and change.state == "changing")
    change_places(change, tell)
    return "the undoing was finished" if change.state == "undoing" else "the environment is as it was before"


def _restore(change: Change, tell: Tell, *, half: bool = False) -> None:
    """The environment from before takes its place again."""
    if not os.path.lexists(change.environment):
        if change.kind != "new":
            os.rename(change.tree, change.environment)
        return
    if change.kind == "new":
        carry_out_of_new(change, tell, half=half)
    else:
        carry_back(change, tell, half=half)
    change_places(change, tell)
