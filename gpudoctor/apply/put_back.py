"""Puts the tree from before a change back in place, together with what users have written since."""

import os
from contextlib import suppress

from gpudoctor.apply import journal
from gpudoctor.apply.carry_files import Moved
from gpudoctor.apply.events import Beside, Carried, Tell
from gpudoctor.apply.in_place import ASIDE, restore_content
from gpudoctor.apply.journal import Change, write
from gpudoctor.apply.removal import remove
from gpudoctor.apply.swap import exchange
from gpudoctor.apply.user_files import carry_over

#: Paths that are named of those that were carried over.
NAMED = 20


def carry_out_of_new(change: Change, tell: Tell, *, half: bool = False) -> None:
    """What is put in place of a new environment is what the user has in it."""
    os.makedirs(change.folder, 0o700, exist_ok=True)
    remove(change.tree)
    os.mkdir(change.tree)
    noted = journal.contents_of(change)
    write(change)
    journal.note_contents(change, noted.environment if noted else {}, {})
    carry_back(change, tell, half=half, nothing_known=change.way != "beside" or noted is None)


def carry_back(change: Change, tell: Tell, *, half: bool = False, nothing_known: bool = False) -> None:
    """What users wrote into the environment goes into the tree that takes its place."""
    noted = journal.contents_of(change)
    known = (None, None) if noted is None or nothing_known else (noted.environment, noted.tree)
    moved, here, there = carry_over(change.environment, change.tree, known, change.id, half=half)
    journal.note_contents(change, here, there)
    if moved:
        tell(carried(change, moved))


def change_places(change: Change, tell: Tell) -> None:
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
    remove_if_empty(change)


def remove_if_empty(change: Change) -> None:
    """A new environment in which the user has nothing is removed whole."""
    if change.kind == "new":
        with suppress(OSError):
            os.rmdir(change.environment)


def carried(change: Change, moved: Moved) -> Carried:
    """What is told of it."""
    paths = moved.carried + moved.dropped
    named = tuple(_readable(path) for path in paths[:NAMED])
    kept = tuple(Beside(path=_readable(one.path), beside=_readable(one.beside)) for one in moved.kept)
    return Carried(environment=change.environment, files=len(paths), paths=named, kept=kept, unsorted=moved.unsorted)


def _readable(path: str) -> str:
    """A path as text; it need not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "replace")
