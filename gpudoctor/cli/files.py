"""Writes output files that the user named, whole or not at all."""

import os
import sys
import tempfile

import click

from gpudoctor.errors import CannotWrite, Misused


def would_replace(path: str) -> bool:
    """Whether something would be lost by writing there: nothing is in a device or a pipe."""
    return os.path.lexists(path) and not _is_special(path)


def reason_against(path: str) -> str | None:
    """Why a file could not be written there, as far as that shows before; None if nothing speaks against it."""
    try:
        folder = os.path.dirname(os.path.abspath(path))
    except FileNotFoundError:
        return "the working directory is gone"
    if os.path.isdir(path):
        return "it is a directory"
    if not os.path.isdir(folder):
        return "there is no such directory"
    if not os.access(path if _is_special(path) else folder, os.W_OK):
        return "the file system is read-only" if _is_read_only(folder) else "permission denied"
    return None


def refuse_unwritable(path: str, *, force: bool) -> None:
    """Say before the work that its result could not be kept. Raises CannotWrite, Misused."""
    if reason := reason_against(path):
        raise CannotWrite(f"{click.format_filename(path)} could not be written: {reason}.")
    refuse_to_replace(path, force=force)


def refuse_to_replace(path: str, *, force: bool) -> None:
    """Raises Misused where a file would be lost that nobody said may be."""
    if not force and would_replace(path):
        raise Misused(f"{path} exists already; choose another name, or add --force to replace it.")


def write_file(path: str, text: str, *, executable: bool = False) -> None:
    """Write a text that others may read, as any file the user makes. Raises CannotWrite; then nothing was changed."""
    mode = 0o666 & ~_umask()
    write_whole(path, text.encode(), mode=mode | (0o111 & (mode >> 2)) if executable else mode)


def write_whole(path: str, raw: bytes, *, mode: int = 0o600) -> None:
    """Write the file, readable by the user only. A link leads where it led. Raises CannotWrite; nothing was changed."""
    try:
        _write(path, raw, mode)
    except OSError as error:
        name = click.format_filename(path)
        raise CannotWrite(f"{name} could not be written: {error.strerror or error}") from None


def _is_special(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _write(path: str, raw: bytes, mode: int) -> None:
    """Written beside and renamed, so that a reader never sees half."""
    if _is_special(path):
        # A device or a pipe, such as /dev/stdout: it must not be replaced by a file.
        with open(path, "wb") as stream:
            stream.write(raw)
        return
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(21, "it is a directory")
    descriptor, beside = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".gpudoctor-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _is_read_only(folder: str) -> bool:
    if sys.platform == "win32":
        return False
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
