"""A listing of a folder's files at one moment, to tell later what has changed."""

import os
import stat
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Literal

import msgspec
from msgspec.structs import replace

from gpudoctor.facts.base import Fact


class Entry(Fact, frozen=True, kw_only=True, array_like=True):
    """What is at one path. Of a folder it only counts that it is there."""

    kind: Literal["file", "folder", "link"]
    size: int = 0
    #: When it was last written, ns.
    changed: int = 0
    mode: int = 0
    target: bytes | None = None
    #: Its number in the file system; 0: any, where the entry was noted from a copy.
    inode: int = 0


#: By path relative to the folder.
Contents = Mapping[str, Entry]


class Manifest(Fact, frozen=True, kw_only=True):
    """What was in the environment and in the tree of a change when no user had written to either since."""

    environment: Contents
    tree: Contents


def contents(folder: str, leave_out: Collection[str] = ()) -> dict[str, Entry]:
    """Everything below a folder; of its own entries some can be left out. What vanishes meanwhile is not there."""
    found: dict[str, Entry] = {}
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(os.path.join(folder, inside)) as entries:
            for entry in entries:
                if not inside and entry.name in leave_out:
                    continue
                seen = entry_of(entry.path)
                if seen is not None:
                    path = os.path.join(inside, entry.name)
                    found[path] = seen
                    if seen.kind == "folder":
                        waiting.append(path)
    return found


def entry_of(path: str) -> Entry | None:
    """What is at a path; None where there is nothing, or a socket, pipe or device."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return Entry(kind="link", target=os.fsencode(os.readlink(path)), inode=status.st_ino)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(status.st_mode):
        return Entry(kind="folder")
    if not stat.S_ISREG(status.st_mode):
        return None
    mode = stat.S_IMODE(status.st_mode)
    return Entry(kind="file", size=status.st_size, changed=status.st_mtime_ns, mode=mode, inode=status.st_ino)


def is_alike(one: Entry | None, other: Entry | None) -> bool:
    """Whether they are the same to a reader, as an original and its copy are."""
    return _seen(one) == _seen(other)


def _seen(entry: Entry | None) -> tuple[object, ...] | None:
    return None if entry is None else (entry.kind, entry.size, entry.changed, entry.mode, entry.target)


def is_unchanged(now: Entry | None, then: Entry | None) -> bool:
    """Whether nobody wrote to it, and it is the same file still."""
    if now is None or then is None or now.kind != "file":
        return is_alike(now, then)
    return is_alike(now, then) and then.inode in (0, now.inode)


def of_any_copy(noted: Contents) -> Contents:
    """The same of another tree that was alike."""
    return {path: replace(entry, inode=0) for path, entry in noted.items()}


def encoded(manifest: Manifest) -> bytes:
    """For a file; paths as bytes, as they need not be UTF-8."""
    sides = (manifest.environment, manifest.tree)
    return msgspec.msgpack.encode([{os.fsencode(path): entry for path, entry in side.items()} for side in sides])


def read_manifest(path: str) -> Manifest | None:
    """What was encoded into a file; None where it is not there or cannot be read."""
    try:
        with open(path, "rb") as stream:
            sides = msgspec.msgpack.decode(stream.read(), type=tuple[dict[bytes, Entry], dict[bytes, Entry]])
    except (OSError, msgspec.MsgspecError):
        return None
    environment, tree = ({os.fsdecode(path): entry for path, entry in side.items()} for side in sides)
    return Manifest(environment=environment, tree=tree)
