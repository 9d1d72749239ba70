"""Reads the metadata of installed distributions: all of it for GPU-relevant ones, else the requirements."""

import re
from collections.abc import Iterable
from typing import Literal

import msgspec
from msgspec import structs

from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.python import Broken
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.host.port import Host, Stat
from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.probes.packages.records import agreement, read_record
from gpudoctor.probes.target.choice import path_rules
from gpudoctor.sources.package_names import Entry, is_relevant, metadata_path, parse_entry

#: The headers end long before this; a description, which may be long, follows them.
_HEAD = 128 * 1024
#: And for distributions of which only the requirements are read: whoever needs more headers is judged by these.
_SHORT_HEAD = 16 * 1024
#: Characters of a requirement; what is longer is none.
_LONGEST = 1000


class Distribution(Fact, frozen=True, kw_only=True):
    """One metadata folder. `requires` are its Requires-Dist lines, as far as they can be read."""

    name: str
    version: str
    location: str
    file: str
    kind: Literal["dist-info", "egg-info", "egg"]
    installer: str | None = None
    direct_url: str | None = None
    requires: tuple[str, ...] = ()
    broken: Broken | None = None


class Listing(Fact, frozen=True, kw_only=True):
    """Everything found, in the order of the search path."""

    found: tuple[Distribution, ...] = ()
    #: Site folders that may not be listed.
    unreadable: tuple[Broken, ...] = ()
    #: Entries without a name or a version anywhere.
    nameless: tuple[Broken, ...] = ()


class Headers(Fact, frozen=True, kw_only=True):
    """What METADATA or PKG-INFO says."""

    version: str | None = None
    requires: tuple[str, ...] = ()


def parse_headers(text: str) -> Headers:
    """The headers before the first empty line; a description may contain lines that look like them."""
    found: dict[str, list[str]] = {"version": [], "requires-dist": []}
    for line in text.replace("\r\n", "\n").partition("\n\n")[0].split("\n"):
        name, _, value = line.partition(":")
        if (values := found.get(name.lower())) is not None and value.strip():
            values.append(value.strip())
    version = found["version"][0].split()[0] if found["version"] else None
    return Headers(version=version, requires=tuple(one for one in found["requires-dist"] if len(one) <= _LONGEST))


def parse_direct_url(text: str) -> str | None:
    """Where a direct_url.json says the distribution came from, without user, password and query."""
    try:
        url = decode_json(text, type=_DirectUrl).url
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return re.sub(r"^([a-z0-9+.-]+://)[^@/]*@", r"\1", url).split("?", 1)[0]


class _DirectUrl(msgspec.Struct):
    url: str


#: pip puts a "~" before what it takes away, packages and metadata, and deletes it last.
LEFT_OVER = "left over from an uninstall by pip that was interrupted"


def list_distributions(host: Host, folders: Iterable[str]) -> Listing:
    """The distributions in `folders`, those of the first folder first."""
    found: list[Distribution] = []
    unreadable: list[Broken] = []
    nameless: list[Broken] = []
    for folder in folders:
        names = host.list(folder)
        if isinstance(names, Gap):
            unreadable.append(Broken(path=folder, reason=names.reason))
            continue
        here: list[Distribution] = []
        for name in names or ():
            entry = parse_entry(name)
            if name.startswith("~"):
                nameless.append(Broken(path=path_rules(host).join(folder, name), reason=LEFT_OVER))
                continue
            seen = _read(host, folder, entry) if entry is not None else None
            if isinstance(seen, Distribution):
                here.append(seen)
            elif seen is not None:
                nameless.append(seen)
        found += _newest_first(host, here)
    return Listing(found=tuple(found), unreadable=tuple(unreadable), nameless=tuple(nameless))


def _read(host: Host, folder: str, entry: Entry) -> Distribution | Broken:
    needs_reading = entry.version is None or is_relevant(entry.name)
    has_origin = needs_reading and entry.kind == "dist-info"
    headers = _read_headers(host, folder, entry) if needs_reading else _read_requirements(host, folder, entry)
    broken = headers if isinstance(headers, Broken) else None
    known = headers if isinstance(headers, Headers) else Headers()
    version = known.version or entry.version
    if version is None or not entry.name:
        return broken or Broken(path=path_rules(host).join(folder, entry.file), reason="it says no name or no version")
    return Distribution(
        name=entry.name,
        version=version,
        location=folder,
        file=entry.file,
        kind=entry.kind,
        installer=_installer(host, folder, entry.file) if has_origin else None,
        direct_url=_direct_url(host, folder, entry.file) if has_origin else None,
        requires=known.requires,
        broken=broken,
    )


def _read_headers(host: Host, folder: str, entry: Entry) -> Headers | Broken:
    path, text = "", None
    for relative in metadata_path(entry):
        path = path_rules(host).join(folder, relative)
        text = host.read_text(path, limit=_HEAD)
        if isinstance(text, str):
            break
    if not isinstance(text, str):
        return Broken(path=path, reason=text.reason if text is not None else _why_absent(host, folder, entry))
    headers = parse_headers(text)
    if not text.strip():
        return Broken(path=path, reason="it is empty")
    return headers if headers.version is not None else Broken(path=path, reason="it says no version")


def _read_requirements(host: Host, folder: str, entry: Entry) -> Headers | Broken | None:
    """What it requires, of extras only frameworks; where that cannot be read, whether metadata is there at all."""
    if entry.kind == "dist-info":
        path = path_rules(host).join(folder, *metadata_path(entry)[0].split("/"))
        text, limit = host.read_text(path, limit=_SHORT_HEAD), _SHORT_HEAD
        if isinstance(text, str) and len(text) >= _SHORT_HEAD and not _is_whole(text):
            # A licence stands in the headers, before what is required: that of SciPy 1.11 has 55 kB.
            text, limit = host.read_text(path, limit=_HEAD), _HEAD
        if isinstance(text, str) and text:
            # Where the end was not read, the last line may be a part of one.
            whole = text if len(text) < limit else text.rpartition("\n")[0]
            lines = parse_headers(whole).requires if "Requires-Dist" in whole else ()
            names = tuple(one.name for one in descriptors())
            kept = (line for line in lines if line.startswith(names) or "extra" not in line.partition(";")[2])
            return Headers(requires=tuple(kept))
    return _see_metadata(host, folder, entry)


def _is_whole(text: str) -> bool:
    """Whether the headers end in it."""
    return "\n\n" in text or "\r\n\r\n" in text


def _see_metadata(host: Host, folder: str, entry: Entry) -> Broken | None:
    """Whether metadata that cannot be read is there at all."""
    path, reason = "", None
    for relative in metadata_path(entry):
        path = path_rules(host).join(folder, relative)
        stat = host.stat(path)
        if isinstance(stat, Stat):
            return Broken(path=path, reason="it is empty") if stat.kind == "file" and stat.size == 0 else None
        reason = stat.reason if stat is not None else reason
    return Broken(path=path, reason=reason or _why_absent(host, folder, entry))


def _why_absent(host: Host, folder: str, entry: Entry) -> str:
    path = path_rules(host).join(folder, entry.file)
    for candidate in (path, path_rules(host).join(folder, metadata_path(entry)[0])):
        target = host.link(candidate)
        if target is not None and host.stat(candidate) is None:
            return f"it is a link to {target}, which does not exist"
    return "it is missing"


def with_origin(host: Host, dist: Distribution) -> Distribution:
    """The distribution with what installed it and from where, where that was not read with the rest."""
    if dist.kind != "dist-info" or dist.installer is not None:
        return dist
    installer, url = _installer(host, dist.location, dist.file), _direct_url(host, dist.location, dist.file)
    return structs.replace(dist, installer=installer, direct_url=url)


def _installer(host: Host, folder: str, file: str) -> str | None:
    text = host.read_text(path_rules(host).join(folder, file, "INSTALLER"), limit=256)
    lines = text.split() if isinstance(text, str) else []
    return lines[0] if lines else None


def _direct_url(host: Host, folder: str, file: str) -> str | None:
    text = host.read_text(path_rules(host).join(folder, file, "direct_url.json"), limit=16 * 1024)
    return parse_direct_url(text) if isinstance(text, str) else None


def _newest_first(host: Host, here: list[Distribution]) -> list[Distribution]:
    """Two metadata folders of one name in one place: which of them the files agree with, else which is newer."""
    counts: dict[str, int] = {}
    for dist in here:
        counts[dist.name] = counts.get(dist.name, 0) + 1
    if len(counts) == len(here):
        return here
    order = {name: index for index, name in enumerate(counts)}

    def key(dist: Distribution) -> tuple[int, float, float]:
        if counts[dist.name] == 1:
            return order[dist.name], 0.0, 0.0
        stat = host.stat(path_rules(host).join(dist.location, dist.file))
        record = read_record(host, dist.name, dist.location, dist.file, dist.installer)
        return order[dist.name], -agreement(host, record), -stat.modified if isinstance(stat, Stat) else 0.0

    return sorted(here, key=key)
