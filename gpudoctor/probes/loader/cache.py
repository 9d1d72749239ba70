"""Reads /etc/ld.so.cache, else /etc/ld.so.conf. Format: glibc, sysdeps/generic/dl-cache.h."""

import posixpath
import struct

from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import names_in, text_of

CACHE = "/etc/ld.so.cache"
CONFIGURATION = "/etc/ld.so.conf"

_MAGIC = b"glibc-ld.so.cache1.1"
_OLD_MAGIC = b"ld.so-1.7.0"
_HEADER = struct.Struct("=20sII20x")
_ENTRY = struct.Struct("=iIIIQ")
_LONGEST_PATH = 4096
_MOST_NESTED = 8


def parse_cache(raw: bytes) -> dict[str, tuple[str, ...]] | None:
    """The files of each SONAME, in the loader's order; None where `raw` is no cache that glibc 2.2 or later wrote.

    Entries for special processors (a hwcap is stated) are left out, as NVIDIA ships none.
    """
    start = raw.find(_MAGIC)
    if start < 0 or (start and not raw.startswith(_OLD_MAGIC)) or len(raw) < start + _HEADER.size:
        return None
    table = raw[start:]
    _, count, _ = _HEADER.unpack_from(table)
    entries = table[_HEADER.size : _HEADER.size + count * _ENTRY.size]
    if len(entries) < count * _ENTRY.size:
        return None
    found: dict[str, list[str]] = {}
    for _, key, value, _, hwcap in _ENTRY.iter_unpack(entries):
        if not hwcap:
            found.setdefault(_string(table, key), []).append(_string(table, value))
    return {name: tuple(paths) for name, paths in found.items()}


def _string(table: bytes, at: int) -> str:
    end = table.find(b"\0", at, at + _LONGEST_PATH)
    return table[at:end].decode("utf-8", "surrogateescape") if end >= 0 else ""


def parse_configuration(text: str) -> tuple[tuple[str, str], ...]:
    """The lines of ld.so.conf, as ("directory", path) and ("include", pattern)."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    found: list[tuple[str, str]] = []
    for line in filter(None, lines):
        word, _, rest = line.partition(" ")
        if word == "include":
            found.extend(("include", pattern) for pattern in rest.split())
        elif word != "hwcap":
            found.append(("directory", line.partition("=")[0].rstrip()))
    return tuple(found)


def read_cache(host: Host) -> dict[str, tuple[str, ...]] | None:
    """The cache of `host`; None where there is none that can be read."""
    raw = host.read(CACHE)
    return parse_cache(raw) if isinstance(raw, bytes) else None


def configured_directories(host: Host, path: str = CONFIGURATION, depth: int = 0) -> tuple[str, ...]:
    """The directories ld.so.conf and the files it includes name."""
    text = text_of(host, path)
    if text is None or depth > _MOST_NESTED:
        return ()
    found: list[str] = []
    for kind, value in parse_configuration(text):
        if kind == "directory":
            found.append(value)
            continue
        for file in _expand(host, posixpath.join(posixpath.dirname(path), value)):
            found.extend(configured_directories(host, file, depth + 1))
    return tuple(dict.fromkeys(found))


def _expand(host: Host, pattern: str) -> tuple[str, ...]:
    """The files of a pattern with wildcards in its last part."""
    from fnmatch import fnmatchcase

    directory, _, name = pattern.rpartition("/")
    return tuple(f"{directory}/{one}" for one in names_in(host, directory) or () if fnmatchcase(one, name))
