"""The CUDA libraries: every copy there is, and which one the loader would give each framework."""

import posixpath
from collections.abc import Iterable, Mapping

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Resolution, SymbolNeed
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Packages
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.host.port import Host
from gpudoctor.probes.elf import parse_defined_versions, parse_needed_versions, reader
from gpudoctor.probes.frameworks.site import Site
from gpudoctor.probes.host_files import exists, names_in
from gpudoctor.probes.libraries.copies import Copies
from gpudoctor.probes.libraries.linked import read_linked
from gpudoctor.probes.libraries.opened import play, played
from gpudoctor.probes.libraries.places import places
from gpudoctor.probes.loader.machine import Machine
from gpudoctor.probes.loader.search import Library, Process, Request
from gpudoctor.probes.target.choice import path_rules
from gpudoctor.sources.library_names import family_of

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


_CPP_LIBRARY = "libstdc++.so.6"
#: The part of cuDNN 8 that opens the driver's library without a version, and that name.
_OPENS_BARE, _BARE = "libcudnn_cnn_infer.so.8", "libcuda.so"
#: Characters of an LD_LIBRARY_PATH that is told whole, as the variable itself is.
_LONG_PATH = 4096
#: What puts other files before a framework's own.
_OVERRIDES = ("LD_LIBRARY_PATH", "LD_PRELOAD")


def probe(
    host: Host, interpreter: Interpreter, packages: Packages, frameworks: Frameworks | Gap | None
) -> Libraries | Gap | None:
    """All copies, and for each framework built for CUDA what it would get. No walk where there is no ELF loader."""
    machine = Machine(host)
    copies = Copies(host, machine, interpreter, packages)
    found = copies.search(places(host, interpreter, machine))
    if not host.platform.startswith("linux"):
        return Libraries(copies=found, dlls=find_dlls(host, interpreter) if host.platform == "win32" else None)
    resolutions: list[Resolution] = []
    bare: dict[str, str | None] = {}
    processes: list[Process] = []
    seen = frameworks if isinstance(frameworks, Frameworks) else None
    if seen is not None:
        site = Site(host, interpreter, packages)
        for framework in played(seen):
            process = _process(machine, framework, site, interpreter, host.env)
            resolutions += _resolve(machine, copies, framework, site, interpreter, process)
            bare |= _bare_libcuda(process, framework)
            processes.append(process)
    cpp = Process(machine, interpreter.executable).find(_CPP_LIBRARY)
    return Libraries(
        copies=found,
        resolutions=tuple(resolutions),
        search_path=_search_path(host),
        extensions=read_linked(
            host, machine, processes or [Process(machine, interpreter.executable)], packages, seen, found
        ),
        glibcxx=_newest_glibcxx(host, cpp.path) if cpp else None,
        libstdcxx=cpp.path if cpp else None,
        needs=read_needs(host, seen, resolutions, found, interpreter),
        libcuda_link=has_libcuda_link(machine),
        libcuda_of_cudnn=bare or None,
    )


def _search_path(host: Host) -> tuple[str, ...]:
    """LD_LIBRARY_PATH; of one with very many folders only those that are there."""
    value = host.env.get("LD_LIBRARY_PATH", "")
    if len(value) > _LONG_PATH:
        return host.library_path
    return tuple(part or "." for part in value.replace(";", ":").split(":")) if value else ()


def _resolve(
    machine: Machine, copies: Copies, framework: Framework, site: Site, interpreter: Interpreter, process: Process
) -> list[Resolution]:
    """What the framework gets for each CUDA library, and what it would get were nothing put before its own."""
    env = machine.host.env
    real = _requests(process)
    undisturbed = real
    if any(env.get(name) for name in _OVERRIDES):
        plain = {name: value for name, value in env.items() if name not in _OVERRIDES}
        undisturbed = _requests(_process(machine, framework, site, interpreter, plain))
    return [_resolution(machine, copies, framework, one, undisturbed.get(one.name)) for one in real.values()]


def _process(
    machine: Machine, framework: Framework, site: Site, interpreter: Interpreter, env: Mapping[str, str]
) -> Process:
    """What the framework would have mapped."""
    process = Process(machine, interpreter.executable, env)
    play(process, framework, site, interpreter)
    return process


def _requests(process: Process) -> dict[str, Request]:
    families = {name: family_of(name) for name in process.requests}
    # cuDNN is linked to libcuda.so.1. Where there is no driver, that is for the driver's facts to say.
    return {
        name: one
        for name, one in process.requests.items()
        if families[name] is not None and (families[name] != "cuda" or one.library is not None)
    }


def _bare_libcuda(process: Process, framework: Framework) -> dict[str, str | None]:
    """Where the framework's cuDNN 8 finds libcuda.so; empty without that cuDNN, or without a driver."""
    asked = process.requests.get(_OPENS_BARE)
    if asked is None or asked.library is None or process.find("libcuda.so.1", asked.library) is None:
        return {}
    found = process.find(_BARE, asked.library)
    return {framework.name: found.path if found else None}


def _resolution(
    machine: Machine, copies: Copies, framework: Framework, request: Request, undisturbed: Request | None
) -> Resolution:
    taken, own = request.library, undisturbed.library if undisturbed else None
    copy = copies.describe(taken.path) if taken else None
    hidden = copies.describe(own.path) if taken and own and _is_put_before(taken, own, machine) else None
    return Resolution(
        framework=framework.name,
        soname=request.name,
        family=family_of(request.name),
        wanted_by=request.by.path if request.by else f"{framework.location}/__init__.py",
        how=request.how,
        path=taken.path if taken else None,
        unusable=None if taken else request.unusable,
        via=taken.via if taken else None,
        version=copy.version if copy else None,
        origin=copy.origin if copy else None,
        shadows=hidden.path if hidden else None,
        shadows_version=hidden.version if hidden else None,
    )


def _is_put_before(taken: Library, own: Library, machine: Machine) -> bool:
    """Another file is taken than the one the framework itself leads to (not only the same one by another path)."""
    if taken.path == own.path or own.via not in {"rpath", "runpath", "path"}:
        return False
    return machine.real(taken.path) != machine.real(own.path)


def _newest_glibcxx(host: Host, path: str) -> str | None:
    """The newest symbol version of a C++ library: 3.4.30."""
    versions = parse_defined_versions(reader(host, path))
    numbers = [tuple(map(int, v[8:].split("."))) for v in versions if re.fullmatch(r"GLIBCXX_\d+(\.\d+)+", v)]
    return ".".join(map(str, max(numbers))) if numbers else None
