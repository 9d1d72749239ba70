"""A wheel's own METADATA, read without the wheel: from beside it (PEP 658), or as a part of its archive."""

import re
import struct
import zlib
from email.parser import HeaderParser

from gpudoctor.facts.base import Fact
from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.pages import Link

#: A wheel's metadata stands at the end of its archive (packaging.python.org, binary distribution format), and so does
#: its entry in the directory: this many bytes usually hold it. The second is for those that put it elsewhere.
TAILS = (64 * 1024, 8 * 1024 * 1024)
_ENTRY = struct.Struct("<4s6xH8xIIHHH8xI")
_ENTRY_SIZE, _LOCAL_SIZE = 46, 30
_STORED, _DEFLATED = 0, 8
#: Room for the extra field that precedes the content.
_EXTRA = 1024


class Metadata(Fact, frozen=True, kw_only=True):
    """What a distribution requires, as its METADATA states it."""

    version: str
    requires_python: str | None = None
    #: Requires-Dist fields, in their order.
    requires: tuple[str, ...] = ()


class Member(Fact, frozen=True, kw_only=True):
    """Where a file is in an archive."""

    name: str
    offset: int
    size: int
    method: int


def read_metadata(fetcher: Fetcher, link: Link) -> Metadata | None:
    """The metadata of a wheel; None where the index serves neither it nor parts of files. Raises IndexUnusable."""
    if link.metadata:
        beside = fetcher.read(f"{link.url}.metadata")
        if beside is not None:
            return parse_metadata(beside.decode("utf-8", "replace"))
    for size in TAILS:
        tail = fetcher.read_range(link.url, -size, size)
        if tail is None:
            return None
        member = find_metadata(tail)
        if member is not None:
            raw = _content(fetcher, link.url, member)
            return None if raw is None else parse_metadata(raw.decode("utf-8", "replace"))
    return None


def parse_metadata(text: str) -> Metadata:
    """The fields of a METADATA file."""
    fields = HeaderParser().parsestr(text)
    return Metadata(
        version=fields.get("Version", ""),
        requires_python=fields.get("Requires-Python"),
        requires=tuple(re.sub(r"\s+", " ", one).strip() for one in fields.get_all("Requires-Dist", [])),
    )


def find_metadata(tail: bytes) -> Member | None:
    """The entry of METADATA in the end of an archive."""
    for match in re.finditer(rb"PK\x01\x02", tail):
        at = match.start()
        if at + _ENTRY_SIZE > len(tail):
            break
        _, method, size, _, length, _, _, offset = _ENTRY.unpack_from(tail, at)
        name = tail[at + _ENTRY_SIZE : at + _ENTRY_SIZE + length]
        # An offset of 0xFFFFFFFF stands in a further field: archives of 4 GiB and more, which no index serves.
        if re.fullmatch(rb"[^/]+\.dist-info/METADATA", name) and offset != 0xFFFFFFFF:
            return Member(name=name.decode("ascii", "replace"), offset=offset, size=size, method=method)
    return None


def _content(fetcher: Fetcher, url: str, member: Member) -> bytes | None:
    raw = fetcher.read_range(url, member.offset, _LOCAL_SIZE + len(member.name) + _EXTRA + member.size)
    if raw is None or len(raw) < _LOCAL_SIZE or raw[:4] != b"PK\x03\x04":
        return None
    name, extra = struct.unpack_from("<HH", raw, 26)
    start = _LOCAL_SIZE + name + extra
    content = raw[start : start + member.size]
    if len(content) < member.size or member.method not in {_STORED, _DEFLATED}:
        return None
    try:
        return content if member.method == _STORED else zlib.decompress(content, -zlib.MAX_WBITS)
    except zlib.error:
        return None
