"""Files that an interrupted conda left in an environment without a record, found by way of its package cache.

`info/paths.json` of a package lists its files (docs.conda.io, package specification); where the text of one holds the
path that it was built at, conda writes the environment's in its place.
"""

import glob
import os
from collections.abc import Iterator
from contextlib import suppress

import msgspec

from gpudoctor.facts.typed_json import decode_json
from gpudoctor.host.safe_files import read_given

#: Bytes that are read of a file to compare it, and of a package's list of files.
_MOST = _NOTES = 64 * 1024 * 1024


class _File(msgspec.Struct):
    path: str = msgspec.field(name="_path")
    placeholder: str | None = msgspec.field(name="prefix_placeholder", default=None)


class _Paths(msgspec.Struct):
    paths: tuple[_File, ...] = ()


def linked_by_conda(environment: str) -> Iterator[str]:
    """Paths of the environment, relative to it, at which there is what an extracted package of conda has there."""
    for folder in _caches(environment):
        for notes in glob.glob(os.path.join(glob.escape(folder), "*", "info", "paths.json")):
            package = os.path.dirname(os.path.dirname(notes))
            with suppress(OSError, msgspec.MsgspecError):
                for file in decode_json(read_given(notes, limit=_NOTES), type=_Paths).paths:
                    yield from _where(environment, package, file)


def _caches(environment: str) -> tuple[str, ...]:
    """The folders of extracted packages: those that are set, and those beside the environments."""
    roots = [os.path.dirname(os.path.dirname(environment)), os.path.expanduser("~/.conda"), environment]
    roots += filter(None, (os.environ.get("MAMBA_ROOT_PREFIX"), os.environ.get("CONDA_ROOT")))
    if program := os.environ.get("CONDA_EXE"):
        roots.append(os.path.dirname(os.path.dirname(program)))
    given = (os.environ.get("CONDA_PKGS_DIRS") or "").split(",")
    return tuple(dict.fromkeys(filter(None, (*given, *(os.path.join(root, "pkgs") for root in roots)))))


def _where(environment: str, package: str, file: _File) -> Iterator[str]:
    """Packages for any Python have theirs below site-packages, which is elsewhere in the environment."""
    places = [file.path]
    if file.path.startswith("site-packages/"):
        sites = glob.glob(os.path.join(glob.escape(environment), "lib/python*"))
        places = [os.path.join(os.path.relpath(site, environment), file.path) for site in sites]
    for place in places:
        with suppress(OSError):
            if _is_from(os.path.join(package, file.path), os.path.join(environment, place), file, environment):
                yield os.path.normpath(place)


def _is_from(original: str, copy: str, file: _File, environment: str) -> bool:
    there, here = os.lstat(original), os.lstat(copy)
    if os.path.samestat(there, here):
        return True
    if os.path.islink(original) or os.path.islink(copy):
        return os.path.islink(original) and os.path.islink(copy) and os.readlink(original) == os.readlink(copy)
    if max(there.st_size, here.st_size) > _MOST:
        return False
    was, now = read_given(original, limit=_MOST), read_given(copy, limit=_MOST)
    if file.placeholder is not None:
        # In binaries the rest of the longer path is filled with zeros.
        was = was.replace(os.fsencode(file.placeholder), os.fsencode(environment)).replace(b"\0", b"")
        now = now.replace(b"\0", b"")
    return was == now
