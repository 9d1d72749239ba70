"""Reads single files inside a wheel on a package index by HTTP range, without downloading the wheel."""

import io
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from gpudoctor.index.fetch import Fetcher

#: Bytes that are read at a time; the end of an archive, where its directory stands, is the first.
BLOCK = 256 * 1024
_END = struct.Struct("<4s8xIIH")
_END_MARK = b"PK\x05\x06"


class PartsNotServed(Exception):
    """The index serves whole files only, or the file is no archive."""


class RemoteFile(io.RawIOBase):
    """A file on an index, read by ranges, each block once."""

    def __init__(self, fetcher: Fetcher, url: str) -> None:
        """Raises PartsNotServed, IndexUnusable."""
        self._fetcher, self._url, self._at = fetcher, url, 0
        self._blocks: dict[int, bytes] = {}
        tail = fetcher.read_range(url, -BLOCK, BLOCK)
        if tail is None:
            raise PartsNotServed(url)
        self._size = _size(tail)
        if self._size is None:
            raise PartsNotServed(url)
        self._tail = tail

    def seekable(self) -> bool:
        """It is."""
        return True

    def readable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """Where the next read begins."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """As files do."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size or 0}[whence]
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Bytes from here on. Raises PartsNotServed, IndexUnusable."""
        end = self._size or 0
        stop = end if size < 0 else min(end, self._at + size)
        found = self._between(self._at, stop)
        self._at = max(self._at, stop)
        return found

    def _between(self, start: int, stop: int) -> bytes:
        first = (self._size or 0) - len(self._tail)
        if start >= first:
            return self._tail[start - first : stop - first]
        numbers = range(start // BLOCK, (stop - 1) // BLOCK + 1) if stop > start else range(0)
        self._load([number for number in numbers if number not in self._blocks])
        joined = b"".join(self._blocks[number] for number in numbers)
        base = numbers.start * BLOCK
        return joined[start - base : stop - base]

    def _load(self, numbers: list[int]) -> None:
        """One request for blocks that follow each other."""
        if not numbers:
            return
        start, size = numbers[0] * BLOCK, (numbers[-1] - numbers[0] + 1) * BLOCK
        raw = self._fetcher.read_range(self._url, start, min(size, (self._size or 0) - start))
        if raw is None:
            raise PartsNotServed(self._url)
        for number in range(numbers[0], numbers[-1] + 1):
            self._blocks[number] = raw[number * BLOCK - start : (number + 1) * BLOCK - start]


def _size(tail: bytes) -> int | None:
    """The length of an archive, from the record at its end; None where there is none."""
    at = tail.rfind(_END_MARK)
    if at < 0 or at + 22 > len(tail):
        return None
    _, size, offset, comment = _END.unpack_from(tail, at)
    # An offset of 0xFFFFFFFF stands elsewhere: archives of 4 GiB and more, which no index serves.
    return None if offset == 0xFFFFFFFF else int(offset + size + 22 + comment)


@contextmanager
def open_archive(fetcher: Fetcher, url: str) -> Iterator[zipfile.ZipFile]:
    """A wheel's files. Raises PartsNotServed, IndexUnusable."""
    try:
        with zipfile.ZipFile(RemoteFile(fetcher, url)) as archive:
            yield archive
    except zipfile.BadZipFile:
        raise PartsNotServed(url) from None
