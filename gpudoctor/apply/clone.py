"""Copies an environment cheaply: large files share their data (reflink or hard link), the others are copied.

Installers replace files, they do not write into them; what they might write into all the same (scripts, metadata, .pth
files, all small ones; conda's notes, whose history grows) is copied. Where the file system can share bytes between
separate files, every file is shared so.
"""

import os
import shutil
import stat
import sys
from collections.abc import Callable, Collection

#: Files above this many bytes are linked, those below are copied.
SMALL = 16 * 1024
#: conda's notes of an environment; it writes each change behind the others in its history.
NOTES = "conda-meta"
#: ioctl of Linux that makes a file share another's bytes until one of them is written (ioctl_ficlone(2)).
_FICLONE = 0x40049409


#: Called with the bytes of each file that was copied.
Tick = Callable[[int], None]


def clone(tree: str, to: str, leave_out: Collection[str] = (), tick: Tick = lambda _: None) -> None:
    """Make `to`, a copy of the folder `tree` on the same file system; of its own entries some can be left out.

    Raises OSError.
    """
    share = _can_share(tree, os.path.dirname(to))
    _folder(tree, to, tick, share=share, leave_out=leave_out)


def _folder(tree: str, to: str, tick: Tick, *, share: bool, link: bool = True, leave_out: Collection[str] = ()) -> None:
    os.mkdir(to, 0o700)
    with os.scandir(tree) as entries:
        for entry in entries:
            if entry.name in leave_out:
                continue
            try:
                _entry(entry, os.path.join(to, entry.name), tick, share=share, link=link)
            except FileNotFoundError:
                # Whoever works in the environment may remove what is theirs meanwhile.
                if os.path.lexists(entry.path):
                    raise
    _own(tree, to)
    shutil.copystat(tree, to)


def _entry(entry: os.DirEntry[str], target: str, tick: Tick, *, share: bool, link: bool) -> None:
    if entry.is_symlink():
        os.symlink(os.readlink(entry.path), target)
        shutil.copystat(entry.path, target, follow_symlinks=False)
    elif entry.is_dir():
        _folder(entry.path, target, tick, share=share, link=link and entry.name != NOTES)
    else:
        tick(_file(entry, target, share=share, link=link))


def _file(entry: os.DirEntry[str], target: str, *, share: bool, link: bool) -> int:
    found = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):  # a socket or a pipe is no part of an environment
        return 0
    if share:
        _shared(entry.path, target)
        _own(entry.path, target)
        shutil.copystat(entry.path, target)
    elif link and found.st_size > SMALL:
        _linked(entry.path, target)
    else:
        _copied(entry.path, target)
    return found.st_size


def _copied(path: str, target: str) -> None:
    shutil.copyfile(path, target)
    _own(path, target)
    shutil.copystat(path, target)


def _own(path: str, target: str) -> None:
    """The copy belongs to whom the original belongs to, where root makes it."""
    if sys.platform != "win32" and os.geteuid() == 0:
        found = os.stat(path)
        os.chown(target, found.st_uid, found.st_gid)


def _linked(path: str, target: str) -> None:
    try:
        os.link(path, target)
    except OSError:  # too many links to it, or another's file (fs.protected_hardlinks)
        _copied(path, target)


def _shared(path: str, target: str) -> None:
    if sys.platform != "linux":
        raise NotImplementedError
    import fcntl

    with open(path, "rb") as source, open(target, "xb") as copy:
        fcntl.ioctl(copy.fileno(), _FICLONE, source.fileno())


def _can_share(tree: str, folder: str) -> bool:
    """Whether the file system has reflinks (btrfs, XFS, ...), tried with one file of the environment."""
    if sys.platform != "linux":
        return False
    sample = os.path.join(tree, "pyvenv.cfg")
    trial = os.path.join(folder, "shared")
    try:
        _shared(sample, trial)
    except OSError:
        return False
    finally:
        if os.path.lexists(trial):
            os.unlink(trial)
    return True
