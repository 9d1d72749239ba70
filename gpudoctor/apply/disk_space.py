"""Whether the disk has room for the downloads of an installation and for what they unpack to."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from typing import Literal

from gpudoctor.apply.dry_run_result import Archive
from gpudoctor.apply.events import Room
from gpudoctor.facts import lazy_re as re
from gpudoctor.index.settings import local_path

#: Bytes on disk for each byte of wheels, sizes in RECORD against sizes on the index: jaxlib 0.10.2 4.2, numpy 2.4.6
#: 3.4, scipy 1.17.1 3.2 (measured 2026-11-21).
UNPACKED = 3.5
#: Code for GPUs is compressed before it is packed: torch 2.15.0 for CUDA 13 with NVIDIA's libraries is 3.0 GB of wheels
#: and 5.3 GB on disk (measured 2026-11-22). PyTorch's builds without it are smaller than this many bytes.
UNPACKED_GPU, SMALLEST_GPU = 1.8, 400_000_000
#: Bytes that an environment takes without anything in it, and what should stay free.
SPARE = 64 * 1024 * 1024


#: uv's line about a file that it begins to fetch: those of a MB and more, all of them when it begins.
_FETCHING = re.compile(r"\s*Downloading (?P<name>\S+) \((?P<size>[\d.]+)(?P<unit>[KMG])iB\)")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class NoRoom(RuntimeError):
    """A file system is too full; the message says which and by how much."""


def unpacked_bytes(archives: Iterable[Archive]) -> int:
    """What they take on disk, unpacked, about."""
    return sum(int((one.size or 0) * (UNPACKED_GPU if _is_for_gpu(one) else UNPACKED)) for one in archives)


def _is_here(archive: Archive) -> bool:
    return archive.url is not None and local_path(archive.url) is not None


def _is_for_gpu(archive: Archive) -> bool:
    return archive.name.startswith("nvidia-") or (archive.name == "torch" and (archive.size or 0) >= SMALLEST_GPU)


def rooms(
    environment: str,
    archives: Iterable[Archive],
    *,
    by: Literal["pip", "uv", "conda"],
    download: bool = True,
    variables: Mapping[str, str] | None = None,
) -> tuple[Room, ...]:
    """The space on each file system that is written to, and what is needed there for these archives.

    pip downloads all into the temporary folder and keeps a copy in its cache, but for files that are here. uv unpacks
    into its cache, and links from there where it can; so does conda, whose cache is usually beside its environments.
    `download` False: they are in the cache already.
    """
    known = os.environ if variables is None else variables
    place, cache = _existing(environment), _existing(_cache(known, by))
    every = tuple(archives)
    unpacked = unpacked_bytes(every)
    fetched = sum(one.size or 0 for one in every if download and not _is_here(one))
    needs: list[tuple[str, int]]
    if by == "conda":
        needs = [(place, unpacked + fetched)]
    elif by == "uv":
        needs = [(place, 0 if uv_links(environment, known) else unpacked), (cache, unpacked if download else 0)]
    else:
        temporary = known.get("TMPDIR") or tempfile.gettempdir()
        needs = [(place, unpacked), (_existing(temporary), fetched), (cache, fetched)]
    return tuple(_together(needs))


def uv_links(environment: str, variables: Mapping[str, str]) -> bool:
    """Whether the files in the environment are those in uv's cache: hard links, or copies that share their bytes."""
    place, cache = _existing(environment), _existing(_cache(variables, "uv"))
    return variables.get("UV_LINK_MODE") != "copy" and os.stat(place).st_dev == os.stat(cache).st_dev


def _cache(variables: Mapping[str, str], tool: str) -> str:
    """The folder of an installer's cache, there or not."""
    base = variables.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return variables.get(f"{tool.upper()}_CACHE_DIR") or os.path.join(base, tool)


def _together(needs: Iterable[tuple[str, int]]) -> Iterable[Room]:
    by_device: dict[int, Room] = {}
    for path, needed in needs:
        device = os.stat(path).st_dev
        known = by_device.get(device)
        if known is None:
            by_device[device] = Room(path=path, free=shutil.disk_usage(path).free, needed=needed + SPARE)
        else:
            by_device[device] = Room(path=known.path, free=known.free, needed=known.needed + needed)
    return by_device.values()


class Announced:
    """What uv says that it downloads, while it begins to: too much is known before it is there."""

    def __init__(self, environment: str, variables: Mapping[str, str]) -> None:
        self._environment = environment
        self._variables = variables
        self._archives: list[Archive] = []

    def heard(self, line: str) -> None:
        """Listen to a line of it. Raises NoRoom."""
        found = _FETCHING.fullmatch(line)
        if found is not None:
            size = int(float(found["size"]) * _UNITS[found["unit"]])
            self._archives.append(Archive(name=found["name"], version="", size=size))
            check(rooms(self._environment, self._archives, by="uv", variables=self._variables))


def _existing(path: str) -> str:
    while not os.path.exists(path):
        path = os.path.dirname(path) or "."
    return path


def check(found: Iterable[Room]) -> None:
    """Raises NoRoom."""
    for room in found:
        if room.free < room.needed:
            raise NoRoom(
                f"too little space: {room.path} has {room.free / 1e9:.2f} GB free, and {room.needed / 1e9:.2f} GB are "
                "needed to download and unpack; free some, or set TMPDIR and the cache of your installer elsewhere"
            )
