"""Undoes a change on request, finished or not: what was there before comes back, with what users wrote since."""

import os

from gpudoctor.apply import journal
from gpudoctor.apply.backups import CannotUndo, current, remove_tree, sweep
from gpudoctor.apply.crash_recovery import mend
from gpudoctor.apply.distributions import differences, installed
from gpudoctor.apply.events import Switched, Tell, silent
from gpudoctor.apply.journal import UNFINISHED, Change, write
from gpudoctor.apply.lock import Lock
from gpudoctor.apply.put_back import carry_back, carry_out_of_new, change_places
from gpudoctor.apply.removal import remove_empty
from gpudoctor.apply.signals import undisturbed
from gpudoctor.apply.swap import identity


def undo(change: Change, *, anyway: bool = False, tell: Tell = silent) -> Change:
    """Put back what was there before a change, finished or not. Raises CannotUndo, Busy, OSError.

    What users wrote goes along. `anyway`: what was installed or removed since then is lost. It is told when the
    environment is in place; what is then removed may be large.
    """
    with Lock(change.environment):
        sweep(change.environment, tell)
        change = current(change)
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
        carry_out_of_new(change, tell)
    else:
        carry_back(change, tell)
    change = write(change, state="undoing", staged=identity(change.environment))
    change_places(change, tell)
    return write(change, state="undone")
