"""Every copy of a CUDA library, with its real version and owner."""

import posixpath
import re

from gpudoctor.facts.base import Source
from gpudoctor.facts.libraries import LibraryCopy
from gpudoctor.facts.python import Interpreter, Package, Packages
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import text_of
from gpudoctor.probes.libraries.places import Place, origin_of
from gpudoctor.probes.loader.machine import Machine
from gpudoctor.sources.library_names import DISTS, cuda_major_of, family_of, soname_of, version_in

#: Parts of a library that always come with it and are not listed on their own.
_PARTS = ("libcudnn_", "libnvrtc-builtins", "libnvinfer_plugin")
#: Headers that state a version, and the start of the names of its macros.
_HEADERS = {
    "cudnn": ("cudnn_version.h", ("CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL")),
    "nccl": ("nccl.h", ("NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH")),
    "cusparselt": ("cusparseLt.h", ("CUSPARSELT_VER_MAJOR", "CUSPARSELT_VER_MINOR", "CUSPARSELT_VER_PATCH")),
}


def parse_header(text: str, macros: tuple[str, ...]) -> LibraryVersion | None:
    """The version that a header's macros state."""
    found = [re.search(rf"^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+(\d+)", text, re.M) for name in macros]
    return LibraryVersion(".".join(one.group(1) for one in found if one)) if all(found) else None


class Copies:
    """Finds the copies, and tells the version and owner of a file."""

    def __init__(self, host: Host, machine: Machine, interpreter: Interpreter, packages: Packages) -> None:
        self._host = host
        self._machine = machine
        self._interpreter = interpreter
        self._packages = packages
        self._dists = {package.name: package for package in packages.installed}
        self._known: dict[str, LibraryCopy] = {}
        self._headers: dict[tuple[str, str], LibraryVersion | None] = {}

    def search(self, places: tuple[Place, ...]) -> tuple[LibraryCopy, ...]:
        """All copies in these places and in the loader's cache, one for each file."""
        found: dict[str, LibraryCopy] = {}
        for place in places:
            for path in self._in(place.directory):
                found.setdefault(path, self.describe(path, place))
        for name, paths in self._machine.cache.items():
            if is_listed(name) and not name.endswith(".so"):
                for path in paths:
                    found.setdefault(self._without_links(path), self.describe(path))
        return tuple(found.values())

    def _without_links(self, path: str) -> str:
        """`path` with the links of its directory resolved: a toolkit's lib64 is its targets/x86_64-linux/lib."""
        directory, name = posixpath.split(path)
        return f"{self._machine.real(directory)}/{name}"

    def describe(self, path: str, place: Place | None = None) -> LibraryCopy:
        """What is known of the library at `path`."""
        if path not in self._known:
            self._known[path] = self._describe(path, place)
        return self._known[path]

    def _in(self, directory: str) -> tuple[str, ...]:
        """The libraries in a directory, one path for each SONAME."""
        names = sorted(name for name in self._machine.names(directory) or () if is_listed(name))
        chosen: dict[str, str] = {}
        for name in names:
            soname = soname_of(name)
            if soname == name or soname not in names:
                chosen[soname] = name
        # libcublas.so is the name to link programs with; it counts only where it is the library itself.
        numbered = {name.partition(".so")[0] for name in chosen if not name.endswith(".so")}
        return tuple(
            f"{directory}/{name}"
            for soname, name in chosen.items()
            if not (soname.endswith(".so") and soname[:-3] in numbered)
        )

    def _describe(self, path: str, place: Place | None) -> LibraryCopy:
        directory, name = posixpath.split(path)
        family = family_of(name) or name
        origin = place.origin if place else origin_of(path, self._interpreter)
        stub = "/stubs/" in path
        version, dist, source = (None, None, None) if stub else self._version(path, family)
        return LibraryCopy(
            family=family,
            soname=soname_of(name),
            path=path,
            version=version,
            cuda_major=cuda_major_of(name) or _major_of(dist) or _major_in(directory),
            origin="driver" if family == "cuda" and not stub and origin == "system" else origin,
            dist=dist,
            source=source,
        )

    def _version(self, path: str, family: str) -> tuple[LibraryVersion | None, str | None, Source | None]:
        """Version, owner, and where the version stands: the header beside it, its owner's metadata, its file name."""
        directory, name = posixpath.split(path)
        owners = self._owners(directory, name, family)
        header = self._header(directory, family) if family == "cudnn" or len(owners) > 1 else None
        if header is not None:
            version, where = header
            agreeing = [one for one in owners if f"{one.version}.".startswith(f"{version}.")]
            full = LibraryVersion.parse(agreeing[0].version) if agreeing else None
            owner = agreeing[0].name if len(agreeing) == 1 else None
            return full or version, owner, Source(kind="file", where=where)
        if len(owners) == 1:
            version_of_owner = LibraryVersion.parse(owners[0].version)
            return version_of_owner, owners[0].name, Source(kind="metadata", where=owners[0].name)
        if owners:
            return None, None, None
        real = posixpath.basename(self._machine.real(path))
        return version_in(real), None, Source(kind="file", where=path)

    def _owners(self, directory: str, name: str, family: str) -> tuple[Package, ...]:
        """The installed distributions that may have brought a file of pip's nvidia folders."""
        base = DISTS.get(family)
        if base is None or not self._is_pip(directory):
            return ()
        if base == "tensorrt":
            return tuple(one for key, one in self._dists.items() if re.fullmatch(r"tensorrt(?:-cu\d+)?-libs", key))
        major = cuda_major_of(name) or _major_in(directory)
        suffixes = [f"-cu{major}"] if major else ["-cu11", "-cu12", "-cu13"]
        plain = [""] if major in {None, 13} and f"{directory}/".find("/cu13/") >= 0 else []
        return tuple(self._dists[base + end] for end in (*suffixes, *plain) if base + end in self._dists)

    def _is_pip(self, directory: str) -> bool:
        return origin_of(directory, self._interpreter) == "pip"

    def _header(self, directory: str, family: str) -> tuple[LibraryVersion, str] | None:
        """What the header that came with the library says."""
        known = _HEADERS.get(family)
        if known is None:
            return None
        file, macros = known
        where = f"{posixpath.dirname(directory)}/include/{file}"
        if (where, family) not in self._headers:
            self._headers[where, family] = parse_header(text_of(self._host, where, limit=65536) or "", macros)
        version = self._headers[where, family]
        return None if version is None else (version, where)


def is_listed(name: str) -> bool:
    """A library that is listed on its own."""
    if not name.startswith(("libcu", "libnv", "libnccl")) and not name.endswith(".dll"):
        return False
    return family_of(name) is not None and not name.startswith(_PARTS) and ".alt." not in name


def _major_of(dist: str | None) -> int | None:
    match = re.search(r"-cu(\d\d)(?:-|$)", dist or "")
    return int(match.group(1)) if match else None


def _major_in(directory: str) -> int | None:
    """The CUDA major that a path names: /usr/local/cuda-12.4/lib64, nvidia/cu13/lib."""
    match = re.search(r"/(?:cuda-|cu)(\d\d)(?:[./]|$)", directory)
    return int(match.group(1)) if match else None
