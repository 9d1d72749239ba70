"""Compiled modules of packages linked to CUDA or PyTorch libraries, and which of those would not be found.

Which files a package has, its RECORD says; of the files only the ELF headers are read.
"""

import re
from collections.abc import Iterable

from gpudoctor.facts.libraries import LibraryCopy, LinkedExtension
from gpudoctor.facts.python import Frameworks, Packages
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import names_in
from gpudoctor.probes.libraries.opened import played as played_frameworks
from gpudoctor.probes.loader.machine import Machine
from gpudoctor.probes.loader.search import Process
from gpudoctor.sources.library_names import family_of, is_of_torch, soname_of

#: Whose copies a package may open by path: those of the environment itself. No package looks for a toolkit's.
_WITHIN_REACH = ("pip", "conda", "bundled", None)
#: Names by which a module says that it is for the GPU: looked at first.
_FOR_GPU = re.compile(r"cuda|gpu|_C\.|kernel", re.I)
_RECORD_LIMIT = 4 * 1024 * 1024
#: Files looked at of one package, and of all.
_OF_ONE, _OF_ALL = 6, 400
#: The driver's own library is asked about elsewhere.
_DRIVER = "cuda"


def read_linked(
    host: Host,
    machine: Machine,
    processes: Iterable[Process],
    packages: Packages,
    frameworks: Frameworks | None,
    copies: Iterable[LibraryCopy],
) -> tuple[LinkedExtension, ...]:
    """The modules, those of frameworks left out that are played themselves: these are looked at with more care."""
    of_own = played_frameworks(frameworks) if frameworks else ()
    own = {name for one in of_own for name in (one.name, one.dist)}
    with_torch = any(one.name == "torch" for one in of_own)
    near = [one for one in copies if one.origin in _WITHIN_REACH]
    there = {soname_of(one.soname) for one in near} | {one.soname for one in near}
    played = tuple(processes)
    found: list[LinkedExtension] = []
    folders: dict[str, dict[tuple[str, str], str]] = {}
    left = _OF_ALL
    for package in packages.installed:
        if package.name in own or package.name.startswith("nvidia-"):
            continue
        if package.location is None:
            continue
        if package.location not in folders:
            folders[package.location] = _metadata_folders(host, package.location)
        folder = folders[package.location].get((package.name, package.version))
        for file in _modules(host, package.location, folder)[: min(left, _OF_ONE)]:
            left -= 1
            needs = _cuda_libraries(machine, file, with_torch=with_torch)
            if needs:
                absent = _absent(file, needs, played, there) if played else ()
                found.append(
                    LinkedExtension(
                        package=package.name, version=package.version, file=file, needs=needs, absent=absent
                    )
                )
    return tuple(found)


def _metadata_folders(host: Host, location: str) -> dict[tuple[str, str], str]:
    """The .dist-info folders of a site folder, by normalised name and version."""
    found = {}
    for name in names_in(host, location) or ():
        stem, dash, ending = name.removesuffix(".dist-info").partition("-")
        if name.endswith(".dist-info") and dash:
            found[re.sub(r"[-_.]+", "-", stem).lower(), ending] = name
    return found


def _modules(host: Host, location: str, folder: str | None) -> list[str]:
    """The compiled modules that a RECORD lists, those that sound of GPUs first.

    Those that Python imports, or that are opened by a name that no linker uses (_scatter_cuda.so); lib*.so may be there
    for another CUDA, to be chosen at run time.
    """
    raw = host.read(f"{location}/{folder}/RECORD", limit=_RECORD_LIMIT) if folder else None
    if not isinstance(raw, bytes):
        return []
    lines = (part[part.rfind(b"\n") + 1 :] + b".so" for part in raw.split(b".so,")[:-1])
    paths = [
        line.decode("utf-8", "replace") for line in lines if not line.rpartition(b"/")[2].startswith((b"lib", b".so"))
    ]
    return [f"{location}/{path}" for path in sorted(paths, key=_rank)]


def _rank(path: str) -> tuple[bool, int, str]:
    return (_FOR_GPU.search(path) is None, path.count("/"), path)


def _cuda_libraries(machine: Machine, file: str, *, with_torch: bool) -> tuple[str, ...]:
    """Those of CUDA; and where there is a PyTorch whose libraries are known, those of PyTorch."""
    elf = machine.elf(file)
    names = elf.needed if elf else ()
    return tuple(name for name in names if family_of(name) not in (None, _DRIVER) or (with_torch and is_of_torch(name)))


def _absent(file: str, needs: tuple[str, ...], played: tuple[Process, ...], there: set[str]) -> tuple[str, ...]:
    """What no framework has mapped, the loader does not find, and of which the environment has no copy."""
    lacking: set[str] | None = None
    for process in played:
        library = process.open(file)
        if library is None:
            return ()
        lacks = set(process.lacks(library))
        lacking = lacks if lacking is None else lacking & lacks
    return tuple(name for name in needs if name in (lacking or ()) and name not in there)
