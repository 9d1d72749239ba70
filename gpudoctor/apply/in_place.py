"""Changing an environment whose folder cannot be renamed (a mount point, a read-only parent).

It is changed where it is, with the copy from before in its own folder, and put back entry by entry.
"""

import os

from gpudoctor.apply.journal import LOCK, Change, is_folder_of_change

#: Of what was put out of the way, in the folder of the change.
ASIDE = ".aside"


def is_fixed(environment: str) -> bool:
    """Whether an environment is there, and its folder cannot change places with another."""
    parent = os.path.dirname(environment)
    if not os.path.isdir(environment) or os.path.islink(environment):
        return False
    own = os.path.ismount(environment) or os.stat(environment).st_dev != os.stat(parent).st_dev
    return own or not os.access(parent, os.W_OK | os.X_OK)


def names_of_ours(environment: str) -> frozenset[str]:
    """What in its folder is no part of the environment: folders of changes, the lock, the root of a file system."""
    names = os.listdir(environment)
    return frozenset(name for name in names if is_folder_of_change(name) or name in (LOCK, "lost+found"))


def restore_content(change: Change) -> None:
    """Put back what was in the environment. What is in the tree is not back yet: it can be cut short and begun again.

    Raises OSError.
    """
    aside = os.path.join(change.folder, ASIDE)
    os.makedirs(aside, exist_ok=True)
    waiting = set(os.listdir(change.tree))
    ours = names_of_ours(change.environment)
    for name in set(os.listdir(change.environment)) - ours:
        if name in waiting or name not in change.names:
            os.rename(os.path.join(change.environment, name), _free(os.path.join(aside, name)))
    for name in waiting:
        os.rename(os.path.join(change.tree, name), os.path.join(change.environment, name))


def _free(path: str) -> str:
    """A name that nothing has: what an installer that outlived us made anew is put away once more."""
    number = 1
    free = path
    while os.path.lexists(free):
        number += 1
        free = f"{path}.{number}"
    return free
