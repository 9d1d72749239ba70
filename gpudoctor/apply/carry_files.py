"""Carries users' own files from one environment tree to another, by hard link where possible, else by copy."""

import filecmp
import os
import shutil
from typing import Literal

from gpudoctor.apply.contents import Contents, Entry, entry_of
from gpudoctor.apply.events import Beside
from gpudoctor.facts.base import Fact

#: share: the same in both, made one file. carry: put, or put anew. drop: the user removed it. keep: the packages that
#: come have something else there; it is put beside. doubt: nobody knows whether it is the user's or half a package; it
#: is put into a folder of its own, where no interpreter finds it.
Way = Literal["share", "carry", "drop", "keep", "doubt"]
#: Of a file that is not whole yet.
PART = ".gpudoctor"
#: The folder for what may be the user's; the mark of the change follows.
_UNSORTED = "unsorted"


class Moved(Fact, frozen=True, kw_only=True):
    """What was done; paths relative to the environment."""

    carried: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    kept: tuple[Beside, ...] = ()
    #: What had two copies and has one now.
    shared: tuple[str, ...] = ()
    #: The folder of what may be the user's.
    unsorted: str | None = None

    def __bool__(self) -> bool:
        return bool(self.carried or self.dropped or self.kept or self.unsorted)

    def __add__(self, other: "Moved") -> "Moved":
        return Moved(
            carried=self.carried + other.carried,
            dropped=self.dropped + other.dropped,
            kept=self.kept + other.kept,
            unsorted=self.unsorted or other.unsorted,
        )

    def noted(self, target: Contents, seen: Contents) -> Contents:
        """What is known of the target, and what was put there; `seen`: what was in the source."""
        left = {path: entry for path, entry in target.items() if path not in self.dropped}
        put = {path: path for path in self.carried + self.shared}
        # The source has it still: the way back need not bring it.
        put |= {one.beside: one.path for one in self.kept}
        return left | {name: seen[path] for name, path in put.items() if path in seen}


class Move:
    """Does what was decided."""

    def __init__(self, source: str, target: str, mark: str) -> None:
        self._source, self._target, self._mark = source, target, mark
        self._carried: list[str] = []
        self._shared: list[str] = []
        self._unsorted: str | None = None
        self._kept: list[Beside] = []

    def done(self, ways: dict[str, Way], now: Contents, then: Contents) -> Moved:
        """Do it. Raises OSError."""
        dropped = tuple(path for path, way in ways.items() if way == "drop" and self._drop(path))
        for path in sorted(then, reverse=True):
            if path not in now and then[path].kind == "folder":
                self._drop_folder(path)
        for path, way in ways.items():
            if way == "share":
                if self._put(path, path):
                    self._shared.append(path)
            elif way == "carry":
                self._carry(path)
            elif way == "keep":
                self._keep(path)
            elif way == "doubt":
                self._set_aside(path)
        return Moved(
            carried=tuple(self._carried),
            dropped=dropped,
            kept=tuple(self._kept),
            shared=tuple(self._shared),
            unsorted=self._unsorted,
        )

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
        if _has_same_bytes(os.path.join(self._source, path), os.path.join(self._target, path)):
            return
        beside = self._free(path)
        if self._make_parents(beside) and self._put(path, beside):
            self._kept.append(Beside(path=path, beside=beside))

    def _set_aside(self, path: str) -> None:
        """Into a folder of the change, with all folders above it."""
        folder = f"{_UNSORTED}{self._mark}"
        os.makedirs(os.path.dirname(os.path.join(self._target, folder, path)), exist_ok=True)
        if self._put(path, os.path.join(folder, path)):
            self._unsorted = folder

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
        part = f"{where}{PART}"
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


def _has_same_bytes(original: str, other: str) -> bool:
    """What a package was installed over may be its own file, written anew."""
    seen = entry_of(original), entry_of(other)
    return all(one is not None and one.kind == "file" for one in seen) and filecmp.cmp(original, other, shallow=False)


def _is_full(path: str) -> bool:
    """Whether there is a folder with something in it."""
    return os.path.isdir(path) and not os.path.islink(path) and bool(os.listdir(path))
