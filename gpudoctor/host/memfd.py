"""Files without a name, for the output of children: in memory where Linux can, so that looking writes nothing."""

import os
import sys

#: linux/memfd.h. Asked for first (kernel 6.3): some systems refuse files in memory that could be executed.
_MFD_NOEXEC_SEAL = 0x0008


def nameless_file(content: bytes = b"") -> int:
    """A descriptor at the start of `content`, for reading and writing. Raises OSError where there is no place."""
    descriptor = _above_standard_streams(_open())
    try:
        _fill(descriptor, content)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _open() -> int:
    for opener in (_in_memory, _in_shared_memory):
        try:
            return opener()
        except (OSError, AttributeError):  # noqa: PERF203 - some builds of Python lack memfd_create
            continue
    return _in_temporary_folder()


def _in_memory() -> int:
    if sys.platform != "linux":
        raise AttributeError("memfd_create")
    try:
        return os.memfd_create("gpudoctor-child", os.MFD_CLOEXEC | _MFD_NOEXEC_SEAL)
    except OSError:
        return os.memfd_create("gpudoctor-child", os.MFD_CLOEXEC)


def _in_shared_memory() -> int:
    if sys.platform != "linux":
        raise AttributeError("O_TMPFILE")
    return os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)  # noqa: S108 - it has no name


def _in_temporary_folder() -> int:
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _fill(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    if content:
        os.lseek(descriptor, 0, os.SEEK_SET)


def _above_standard_streams(descriptor: int) -> int:
    """In a process started with closed standard streams, new files get 0, 1 and 2, which the child's must not be."""
    if sys.platform == "win32" or descriptor > 2:
        return descriptor
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return moved
