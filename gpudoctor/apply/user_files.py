"""Decides which files users added to an environment are carried along when another tree replaces it.

A file that no package owns becomes one file with two names, in the tree that goes and in that which comes: also who has
it open goes on writing to the right one. Nothing is taken from the tree that goes, so that this can be cut short at any
moment and begun again.
"""

import os
from collections.abc import Collection, Iterator

from gpudoctor.apply.carry_files import PART, Move, Moved, Way
from gpudoctor.apply.contents import Contents, Entry, contents, is_alike, is_unchanged
from gpudoctor.apply.in_place import names_of_ours
from gpudoctor.apply.ownership import FRAME, Ownership
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact

#: Where installers write.
_INSTALLED = re.compile(r"(?:bin|Scripts|lib|lib64|Lib|include|conda-meta)/.*")


class Side(Fact, frozen=True, kw_only=True):
    """One of the two trees: now, and when nobody had written to it yet (None: that is not known)."""

    now: Contents
    then: Contents | None
    owners: Ownership


def carry_over(
    source: str, target: str, then: tuple[Contents | None, Contents | None], mark: str, *, half: bool = False
) -> tuple[Moved, Contents, Contents]:
    """Bring what users wrote into `source` into `target`, the tree that takes its place. Raises OSError.

    `then`: what was in both before; `mark` is in the names of what is kept beside. `half`: an installer was ended while
    it wrote into `source`. Returns also what is in both by now.
    """
    goes, comes = (
        Side(now=contents(tree, names_of_ours(tree)), then=known, owners=Ownership(tree, half=half and tree == source))
        for tree, known in zip((source, target), then, strict=True)
    )
    ways = dict(decisions(goes, comes, half=half))
    moved = Move(source, target, f".kept-{mark}").done(ways, goes.now, goes.then or {})
    return moved, goes.now, moved.noted(comes.now, goes.now)


def decisions(goes: Side, comes: Side, *, half: bool = False) -> Iterator[tuple[str, Way]]:
    """What is to be done with each path; those of which nothing is said stay as they are."""
    parents = {os.path.dirname(path) for path in goes.now}
    before = (goes.then or {}).items() if half else ()
    known = {(os.path.basename(path), one.size, one.changed) for path, one in before}
    for path in sorted({**goes.now, **(goes.then or {})}):
        if path.endswith(PART) or _is_stashed(path, goes.now.get(path), known):
            continue
        owner = goes.owners.owner_of(path)
        there = comes.owners.owner_of(path)
        if owner is None and there is None:
            way = _of_user(path, goes, comes, is_parent=path in parents, half=half)
        else:
            way = _of_package(path, owner, goes, comes, half=half)
        if way is not None:
            yield path, way


def _is_stashed(path: str, now: Entry | None, known: Collection[tuple[str, int, int]]) -> bool:
    """Whether it is a file from before that pip put aside, into a folder beside whose name begins with ~."""
    aside = any(part.startswith("~") for part in path.split(os.sep))
    return aside and now is not None and (os.path.basename(path), now.size, now.changed) in known


def _of_user(path: str, goes: Side, comes: Side, *, is_parent: bool, half: bool) -> Way | None:
    now, then, there = goes.now.get(path), (goes.then or {}).get(path), comes.now.get(path)
    was = (comes.then or {}).get(path)
    is_same = _is_linked(there, was, then)
    free = is_same or _is_as_left(there, was, then)
    if now is None:
        return "drop" if is_same or (there is not None and free and is_alike(there, then)) else None
    if now.kind == "folder":
        if there is not None:
            return "carry" if there.kind != "folder" and free and is_alike(then, was) else None
        new = then is None or then.kind != "folder"
        frame = FRAME.fullmatch(path.replace(os.sep, "/"))
        return "carry" if new and not is_parent and not frame and not _is_half(path, half) else None
    if there is not None and is_alike(now, there):
        return "share" if now.kind == "file" and there.inode != now.inode else None
    if goes.then is not None and is_unchanged(now, then):
        return None
    if then is None and _is_half(path, half):
        return None if path.endswith((".pyc", ".pyo")) else "doubt"
    return "carry" if there is None or (free and is_alike(then, was)) else "keep"


def _is_as_left(there: Entry | None, was: Entry | None, then: Entry | None) -> bool:
    """Whether nobody wrote to what is in the tree that comes, unless to the file that both trees had."""
    if there is not None and was is not None and then is not None and there.inode == was.inode == then.inode != 0:
        return True
    return is_unchanged(there, was)


def _is_linked(there: Entry | None, was: Entry | None, then: Entry | None) -> bool:
    """Whether it is the file that was copied, perhaps as a link: what is new in it was written through the original."""
    return (
        there is not None
        and was is not None
        and then is not None
        and there.inode == was.inode != 0
        and then.inode in (0, was.inode)
    )


def _is_half(path: str, half: bool) -> bool:
    return half and _INSTALLED.fullmatch(path.replace(os.sep, "/")) is not None


def _of_package(path: str, owner: str | None, goes: Side, comes: Side, *, half: bool) -> Way | None:
    """Only what users wrote to a file of a package, or in the place of what another version has."""
    now, then, there = goes.now.get(path), (goes.then or {}).get(path), comes.now.get(path)
    if now is None or now.kind == "folder" or path.endswith((".pyc", ".pyo")):
        return None
    if goes.then is None:
        return "keep" if owner is None and not is_alike(now, there) else None
    was = (comes.then or {}).get(path)
    if owner is None and then is not None and is_alike(then, was) and not is_unchanged(there, was):
        # A package that was installed since has taken its place.
        return "keep" if not half and not is_alike(now, there) else None
    if is_unchanged(now, then) or is_alike(now, there):
        return None
    if owner is None:
        return "keep" if then is None and not half else None
    if owner == path or then is None or not is_unchanged(goes.now.get(owner), goes.then.get(owner)):
        return None
    return "carry" if there is not None and _is_as_left(there, was, then) and is_alike(then, was) else "keep"
