"""What users wrote into an environment goes along when another tree takes its place.

A file that no package owns becomes one file with two names, in the tree that goes and in that which comes: also who has
it open goes on writing to the right one. Nothing is taken from the tree that goes, so that this can be cut short at any
moment and begun again.
"""

import os
import re
import shutil
from collections.abc import Iterator
from typing import Literal

from gpudoctor.apply.contents import Contents, Entry, contents, entry_of, is_alike, is_unchanged
from gpudoctor.apply.events import Beside
from gpudoctor.apply.inside import names_of_ours
from gpudoctor.apply.ownership import FRAME, Ownership
from gpudoctor.model.base import Fact

#: share: the same in both, made one file. carry: put, or put anew. drop: the user removed it. keep: the packages that
#: come have something else there; it is put beside.
Way = Literal["share", "carry", "drop", "keep"]
#: Where installers write; what they left half written there is nobody's.
_INSTALLED = re.compile(r"(?:bin|Scripts|lib|lib64|Lib|include|conda-meta)/.*")
_PART = ".gpudoctor"


class Moved(Fact, frozen=True, kw_only=True):
    """What was done; paths relative to the environment."""

    carried: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    kept: tuple[Beside, ...] = ()
    #: What had two copies and has one now.
    shared: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.carried or self.dropped or self.kept)

    def __add__(self, other: "Moved") -> "Moved":
        return Moved(
            carried=self.carried + other.carried, dropped=self.dropped + other.dropped, kept=self.kept + other.kept
        )

    def noted(self, target: Contents, seen: Contents) -> Contents:
        """What is known of the target, and what was put there; `seen`: what was in the source."""
        left = {path: entry for path, entry in target.items() if path not in self.dropped}
        return left | {path: seen[path] for path in self.carried + self.shared if path in seen}


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
        Side(now=contents(tree, names_of_ours(tree)), then=known, owners=Ownership(tree))
        for tree, known in zip((source, target), then, strict=True)
    )
    ways = dict(decisions(goes, comes, half=half))
    moved = _Move(source, target, f".kept-{mark}").done(ways, goes)
    return moved, goes.now, moved.noted(comes.now, goes.now)


def decisions(goes: Side, comes: Side, *, half: bool = False) -> Iterator[tuple[str, Way]]:
    """What is to be done with each path; those of which nothing is said stay as they are."""
    parents = {os.path.dirname(path) for path in goes.now}
    for path in sorted({**goes.now, **(goes.then or {})}):
        if path.endswith(_PART):
            continue
        owner = goes.owners.owner_of(path)
        there = comes.owners.owner_of(path)
        if owner is None and there is None:
            way = _of_user(path, goes, comes, is_parent=path in parents, half=half)
        else:
            way = _of_package(path, owner, goes, comes, half=half)
        if way is not None:
            yield path, way


def _of_user(path: str, goes: Side, comes: Side, *, is_parent: bool, half: bool) -> Way | None:
    now, then, there = goes.now.get(path), (goes.then or {}).get(path), comes.now.get(path)
    was = (comes.then or {}).get(path)
    free = _is_as_left(there, was, then)
    if now is None:
        return "drop" if there is not None and free and is_alike(there, then) else None
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
        return None
    return "carry" if there is None or (free and is_alike(then, was)) else "keep"


def _is_as_left(there: Entry | None, was: Entry | None, then: Entry | None) -> bool:
    """Whether nobody wrote to what is in the tree that comes, unless to the file that both trees had."""
    if there is not None and was is not None and then is not None and there.inode == was.inode == then.inode != 0:
        return True
    return is_unchanged(there, was)


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


class _Move:
    """Does what was decided."""

    def __init__(self, source: str, target: str, mark: str) -> None:
        self._source, self._target, self._mark = source, target, mark
        self._carried: list[str] = []
        self._shared: list[str] = []
        self._kept: list[Beside] = []

    def done(self, ways: dict[str, Way], goes: Side) -> Moved:
        dropped = tuple(path for path, way in ways.items() if way == "drop" and self._drop(path))
        for path in sorted(goes.then or {}, reverse=True):
            if path not in goes.now and (goes.then or {})[path].kind == "folder":
                self._drop_folder(path)
        for path, way in ways.items():
            if way == "share":
                if self._put(path, path):
                    self._shared.append(path)
            elif way == "carry":
                self._carry(path)
            elif way == "keep":
                self._keep(path)
        return Moved(carried=tuple(self._carried), dropped=dropped, kept=tuple(self._kept), shared=tuple(self._shared))

    def _drop(self, path: str) -> bool:
        """Folders are removed when they are empty."""
        where = os.path.join(self._target, path)
        if os.path.isdir(where) and not os.path.islink(where):
            return False
        if not self._is_reached(path):
            return False
        os.unlink(where)
        return True

    def _drop_folder(self, path: str) -> None:
        where = os.path.join(self._target, path)
        if self._is_reached(path) and os.path.isdir(where) and not os.path.islink(where) and not os.listdir(where):
            os.rmdir(where)

    def _carry(self, path: str) -> None:
        if not self._make_parents(path) or _is_full(os.path.join(self._target, path)):
            self._keep(path)
        elif self._put(path, path):
            self._carried.append(path)

    def _keep(self, path: str) -> None:
        beside = self._free(path)
        if self._make_parents(beside) and self._put(path, beside):
            self._kept.append(Beside(path=path, beside=beside))

    def _free(self, path: str) -> str:
        """A name beside it that nothing has, above what is no folder there."""
        parts = path.split(os.sep)
        for count in range(1, len(parts)):
            there = entry_of(os.path.join(self._target, *parts[:count]))
            if there is not None and there.kind != "folder":
                parts[count - 1] += self._mark
                return os.path.join(*parts)
        number, free = 1, f"{path}{self._mark}"
        while any(os.path.lexists(os.path.join(tree, free)) for tree in (self._source, self._target)):
            if _is_one(os.path.join(self._source, path), os.path.join(self._target, free)):
                break
            number += 1
            free = f"{path}{self._mark}.{number}"
        return free

    def _is_reached(self, path: str) -> bool:
        """Whether all above it are folders, no links that lead elsewhere."""
        where = os.path.dirname(path)
        while where:
            there = entry_of(os.path.join(self._target, where))
            if there is None or there.kind != "folder":
                return False
            where = os.path.dirname(where)
        return True

    def _make_parents(self, path: str) -> bool:
        """The folders above it, as they are in the source; False where something else is in the way."""
        parent = os.path.dirname(path)
        if not parent:
            return True
        if not self._make_parents(parent):
            return False
        where = os.path.join(self._target, parent)
        there = entry_of(where)
        if there is None and not os.path.lexists(where):
            os.mkdir(where)
            _as_original(os.path.join(self._source, parent), where)
        return there is None or there.kind == "folder"

    def _put(self, path: str, name: str) -> bool:
        """Give the user's file a name in the target; whether it was there still."""
        original, where = os.path.join(self._source, path), os.path.join(self._target, name)
        found, there = entry_of(original), entry_of(where)
        if found is None or _is_one(original, where):
            return found is not None
        if there is not None and (there.kind == "folder") != (found.kind == "folder"):
            (os.rmdir if there.kind == "folder" else os.unlink)(where)
        if found.kind == "folder":
            if not os.path.isdir(where):
                os.mkdir(where)
                _as_original(original, where)
            return True
        part = f"{where}{_PART}"
        if os.path.lexists(part):
            os.unlink(part)
        try:
            _name(original, part, found)
        except FileNotFoundError:
            if os.path.lexists(original):
                raise
            return False
        os.replace(part, where)
        return True


def _name(original: str, name: str, found: Entry) -> None:
    """A second name of a file; a copy where the file system has none."""
    if found.kind == "link":
        os.symlink(os.readlink(original), name)
        shutil.copystat(original, name, follow_symlinks=False)
        return
    try:
        os.link(original, name)
    except OSError:
        shutil.copyfile(original, name)
        _as_original(original, name)


def _as_original(original: str, copy: str) -> None:
    if not os.path.exists(original):
        return
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        found = os.stat(original)
        os.chown(copy, found.st_uid, found.st_gid)
    shutil.copystat(original, copy)


def _is_one(original: str, other: str) -> bool:
    try:
        return not os.path.islink(original) and os.path.samestat(os.lstat(original), os.lstat(other))
    except OSError:
        return False


def _is_full(path: str) -> bool:
    """Whether there is a folder with something in it."""
    return os.path.isdir(path) and not os.path.islink(path) and bool(os.listdir(path))
