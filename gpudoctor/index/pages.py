"""Parses pages of a package index: the simple API in HTML (PEP 503) and in JSON (PEP 691)."""

import json
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from gpudoctor.facts.base import Fact


class NotAnIndexPage(ValueError):
    """The answer is no list of files; the message says what it is instead."""


class Link(Fact, frozen=True, kw_only=True):
    """A file that an index offers. `metadata`: its METADATA can be had beside it (PEP 658)."""

    name: str
    url: str
    requires_python: str | None = None
    yanked: bool = False
    metadata: bool = False
    #: ISO date; None where the index does not say (PEP 700: in JSON only).
    uploaded: str | None = None


class _Anchors(HTMLParser):
    """Collects the attributes of the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.base: str | None = None
        self.found: list[dict[str, str | None]] = []
        self.is_html = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_html = True
        if tag == "a":
            self.found.append(dict(attrs))
        elif tag == "base" and self.base is None:
            self.base = dict(attrs).get("href")


def parse_html(text: str, address: str) -> tuple[Link, ...]:
    """The links of an HTML page that was found at `address`. Raises NotAnIndexPage."""
    anchors = _Anchors()
    anchors.feed(text)
    if not anchors.is_html:
        raise NotAnIndexPage("the answer is not HTML")
    base = urljoin(address, anchors.base or "")
    return tuple(_link(attributes, base) for attributes in anchors.found if attributes.get("href"))


def _link(attributes: dict[str, str | None], base: str) -> Link:
    url = urljoin(base, attributes["href"] or "").partition("#")[0]
    return Link(
        name=unquote(urlsplit(url).path.rpartition("/")[2]),
        url=url,
        requires_python=attributes.get("data-requires-python") or None,
        # The mark counts whatever its value (PEP 592).
        yanked="data-yanked" in attributes,
        metadata="data-core-metadata" in attributes or "data-dist-info-metadata" in attributes,
    )


def parse_json(raw: bytes, address: str) -> tuple[Link, ...]:
    """The links of a JSON page that was found at `address`. Raises NotAnIndexPage."""
    try:
        page: dict[str, Any] = json.loads(raw)
        major = str(page["meta"]["api-version"]).split(".")[0]
        if major != "1":
            raise NotAnIndexPage(f"its format is version {major}, and only version 1 is known")
        return tuple(_file(file, address) for file in page["files"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, NotAnIndexPage):
            raise
        raise NotAnIndexPage("the answer is damaged JSON, or no list of files") from None


def _file(file: dict[str, Any], address: str) -> Link:
    return Link(
        name=str(file["filename"]),
        url=urljoin(address, str(file["url"])),
        requires_python=file.get("requires-python") or None,
        yanked=file.get("yanked", False) is not False,
        metadata=bool(file.get("core-metadata") or file.get("dist-info-metadata")),
        uploaded=str(file["upload-time"])[:10] if file.get("upload-time") else None,
    )
