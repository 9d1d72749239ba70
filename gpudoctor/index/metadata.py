"""Reads a wheel's METADATA without the wheel: from the file beside it (PEP 658) or as part of the archive."""

import re
import zlib
from email.parser import HeaderParser
from zipfile import BadZipFile

from gpudoctor.facts.base import Fact
from gpudoctor.index.archive import PartsNotServed, open_archive
from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.pages import Link


class Metadata(Fact, frozen=True, kw_only=True):
    """What a distribution requires, as its METADATA states it."""

    version: str
    requires_python: str | None = None
    #: Requires-Dist fields, in their order.
    requires: tuple[str, ...] = ()


def read_metadata(fetcher: Fetcher, link: Link) -> Metadata | None:
    """The metadata of a wheel; None where the index serves neither it nor parts of files. Raises IndexUnusable."""
    if link.metadata:
        beside = fetcher.read(f"{link.url}.metadata")
        if beside is not None:
            return parse_metadata(beside.decode("utf-8", "replace"))
    try:
        with open_archive(fetcher, link.url) as archive:
            names = (name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
            name = next(names, None)
            return parse_metadata(archive.read(name).decode("utf-8", "replace")) if name is not None else None
    except (PartsNotServed, BadZipFile, NotImplementedError, EOFError, zlib.error):
        return None


def parse_metadata(text: str) -> Metadata:
    """The fields of a METADATA file."""
    fields = HeaderParser().parsestr(text)
    return Metadata(
        version=fields.get("Version", ""),
        requires_python=fields.get("Requires-Python"),
        requires=tuple(re.sub(r"\s+", " ", one).strip() for one in fields.get_all("Requires-Dist", [])),
    )
