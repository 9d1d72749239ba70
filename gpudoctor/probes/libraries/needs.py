"""What compiled extensions need of the C and C++ libraries, and DLLs that frameworks need of Windows."""

import posixpath
from collections.abc import Iterable

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import LibraryCopy, Resolution, SymbolNeed
from gpudoctor.facts.python import Frameworks, Interpreter
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.host.port import Host
from gpudoctor.probes.elf import parse_needed_versions, reader
from gpudoctor.probes.loader.machine import Machine
from gpudoctor.probes.reading import exists, names_in
from gpudoctor.probes.target.choice import path_rules

#: Library, and how its symbol versions begin.
_VERSIONED = (("libc.so.6", "GLIBC_"), ("libstdc++.so.6", "GLIBCXX_"))
_NUMBER = re.compile(r"\d+(?:\.\d+)+")
#: Extensions that torch compiled are looked at up to this number.
_MOST_COMPILED = 16
#: Microsoft's C++ runtime, and two libraries that wheels forgot.
_DLLS = ("vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll", "libomp140.x86_64.dll", "zlibwapi.dll")


def read_needs(
    host: Host,
    frameworks: Frameworks | None,
    resolutions: Iterable[Resolution],
    copies: Iterable[LibraryCopy],
    interpreter: Interpreter,
) -> tuple[SymbolNeed, ...]:
    """The newest symbol versions that extensions need, CUDA libraries of conda, and a TensorRT from an archive."""
    extensions = [
        one.source.where
        for one in (frameworks.found if frameworks else ())
        if one.source is not None and one.source.where.endswith(".so")
    ]
    conda = [one.path for one in resolutions if one.origin == "conda" and one.path is not None]
    archive = [one.path for one in copies if one.family == "tensorrt" and one.origin in ("environment", "other")]
    files = dict.fromkeys((*extensions, *compiled_here(host, interpreter), *conda, *archive))
    return tuple(need for file in files for need in needs_of(host, file))


def needs_of(host: Host, file: str) -> tuple[SymbolNeed, ...]:
    """What one file needs: the newest version of each of the two libraries."""
    needed = parse_needed_versions(reader(host, file))
    found = []
    for library, start in _VERSIONED:
        numbers = (name.removeprefix(start) for name in needed.get(library, ()) if name.startswith(start))
        versions = [LibraryVersion(number) for number in numbers if _NUMBER.fullmatch(number)]
        if versions:
            found.append(SymbolNeed(file=file, library=library, version=max(versions)))  # type: ignore[arg-type]
    return tuple(found)


def compiled_here(host: Host, interpreter: Interpreter) -> tuple[str, ...]:
    """Extensions that torch compiled at first use: torch_extensions/py311_cu124/<name>/<name>.so."""
    home, cache = host.env.get("HOME"), host.env.get("XDG_CACHE_HOME")
    default = cache or (f"{home}/.cache" if home else None)
    root = host.env.get("TORCH_EXTENSIONS_DIR") or (f"{default}/torch_extensions" if default else None)
    if root is None:
        return ()
    start = f"py{''.join((interpreter.version or '').split('.')[:2])}_"
    builds = [f"{root}/{name}" for name in names_in(host, root) or () if name.startswith(start)]
    found = [f"{build}/{name}/{name}.so" for build in builds for name in names_in(host, build) or ()]
    return tuple(path for path in found[:_MOST_COMPILED] if exists(host, path))


def has_libcuda_link(machine: Machine) -> bool | None:
    """A libcuda.so beside a libcuda.so.1 that the loader's cache or LD_LIBRARY_PATH names, or in LIBRARY_PATH.

    None where no libcuda.so.1 is found: then there is nothing to link to. The folders are those that Triton gives to
    the C compiler, which searches LIBRARY_PATH by itself.
    """
    env = machine.host.env
    known = [posixpath.dirname(path) for path in machine.cache.get("libcuda.so.1", ())]
    folders = known or [entry for entry in machine.host.library_path if machine.has(entry, "libcuda.so.1")]
    if not folders:
        return None
    searched = [entry for entry in env.get("LIBRARY_PATH", "").split(":") if entry]
    return any(machine.has(folder, "libcuda.so") for folder in (*folders, *searched))


def find_dlls(host: Host, interpreter: Interpreter) -> dict[str, str | None]:
    """Where Windows finds each DLL: beside Python, in its own folder, in PATH, and in torch's folder."""
    rules = path_rules(host)
    system = rules.join(host.env.get("SYSTEMROOT") or host.env.get("SystemRoot") or "C:\\Windows", "System32")
    folders = [rules.dirname(interpreter.executable), interpreter.base_prefix or "", system]
    folders += [entry for entry in host.env.get("PATH", "").split(";") if entry]
    folders += [rules.join(site, "torch", "lib") for site in interpreter.site_dirs]
    found: dict[str, str | None] = dict.fromkeys(_DLLS)
    for folder in dict.fromkeys(folder for folder in folders if folder):
        for name in names_in(host, folder) or ():
            if name.lower() in found and found[name.lower()] is None:
                found[name.lower()] = rules.join(folder, name)
    return found
