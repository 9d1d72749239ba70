"""Whether a question is answered already, by output in the text or by known facts."""

from collections.abc import Callable, Iterable

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.python import Frameworks, Interpreter, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Environ, System
from gpudoctor.knowledge.answers import PINNED, answers_to
from gpudoctor.knowledge.matrix.load import load_matrix

#: A list of packages, searched for some: the names are alternatives of grep's, or findstr's words.
_LISTED = re.compile(
    r"""(?:python3? -m )?pip list \| (?:grep (?:-\w+ )*['"]?([\w|^() -]+?)['"]?|findstr (?:/i )?"?([\w ]+)"?)"""
)
_VARIABLE = re.compile(r"""echo ['"]?(?:\$(?:env:)?|%)(\w+)%?['"]?""")
_SHORTENED = re.compile(r" \| (?:head|tail)(?: -n? ?\d+)?$")
_ERRORS_LEFT_OUT = re.compile(r" 2>(?:/dev/null|&1)")


def is_answered(part: str, snapshot: Snapshot, given: Iterable[str] = (), around: Iterable[str] = ()) -> bool:
    """`given` are commands whose output is known, and what a text shows; `around` what it names."""
    part = part.removeprefix("sudo ").removesuffix(" on the host").strip()
    command = part.split(" | ", maxsplit=1)[0].strip()
    given = frozenset(given)
    if not given.isdisjoint((command, command.removeprefix("python -m "))):
        return True
    if (wanted := _LISTED.fullmatch(part)) and _are_stated(wanted[1] or wanted[2], snapshot, given):
        return True
    seen = SnapshotView(snapshot, around)
    whole = _ERRORS_LEFT_OUT.sub("", _SHORTENED.sub("", part))
    if variable := _VARIABLE.fullmatch(whole):
        environ = seen.section(Environ, "environ")
        return environ is not None and variable[1] in environ.variables
    # In Windows' quotes as in a shell's.
    rows = answers_to(whole.replace('"', "'")) or answers_to(whole)
    return any(one.asked in given or (one.facts and all(is_known(name, seen) for name in one.facts)) for one in rows)


def _are_stated(names: str, snapshot: Snapshot, given: frozenset[str]) -> bool:
    """A version is stated for each of the packages that a list is searched for."""
    frameworks = snapshot.frameworks.found if isinstance(snapshot.frameworks, Frameworks) else ()
    packages = snapshot.packages.installed if isinstance(snapshot.packages, Packages) else ()
    known = [one.name for one in frameworks if one.version] + [one.name for one in packages]
    known += [one.removeprefix(PINNED) for one in given if one.startswith(PINNED)]
    wanted = [re.sub(r"[^\w-]", "", name).lower() for name in re.split(r"[|\s]+", names.strip())]
    return all(any(name.startswith(one) for name in known) for one in wanted if one)


def is_known(name: str, seen: SnapshotView) -> bool:
    """A fact by its name in answers.tsv; those with a dot may be of one library (copy.cudnn) or framework."""
    if name in _FACTS:
        return _FACTS[name](seen)
    kind, _, of = name.partition(".")
    return _OF[kind](seen, of)


def _host(seen: SnapshotView, name: str) -> bool:
    host = seen.section(System, "host")
    return host is not None and getattr(host, name) is not None


def _driver(seen: SnapshotView, name: str) -> bool:
    driver = seen.section(Driver, "driver")
    return driver is not None and getattr(driver, name) is not None


def _python(seen: SnapshotView, name: str) -> bool:
    python = seen.section(Interpreter, "interpreter")
    return python is not None and getattr(python, name) is not None


def _release_of_system(seen: SnapshotView) -> bool:
    host = seen.section(System, "host")
    return host is not None and bool(host.distribution_version or re.search(r"\d", host.pretty_name or ""))


def _gpus_named(seen: SnapshotView) -> bool:
    gpus = seen.section(Gpus, "gpus")
    return gpus is not None and bool(gpus.devices) and all(gpu.name for gpu in gpus.devices)


def _capabilities(seen: SnapshotView) -> bool:
    """Of every GPU of NVIDIA's, stated or by its name."""
    gpus = seen.section(Gpus, "gpus")
    own = gpus.nvidia if gpus is not None else ()
    return bool(own) and all(gpu.capability or load_matrix().capability(gpu) for gpu in own)


def _toolkit(seen: SnapshotView) -> bool:
    toolkits = seen.section(Toolkits, "toolkits")
    return toolkits is not None and any(one.version for one in toolkits.found)


def _compiler(seen: SnapshotView) -> bool:
    toolkits = seen.section(Toolkits, "toolkits")
    return toolkits is not None and toolkits.compiler_version is not None


def _copy(seen: SnapshotView, family: str) -> bool:
    """A file of the library, and where it lies."""
    libraries = seen.section(Libraries, "libraries")
    return libraries is not None and any(one.family == family and "/" in one.path for one in libraries.copies)


def _space(seen: SnapshotView, purpose: str) -> bool:
    host = seen.section(System, "host")
    return host is not None and host.space(purpose) is not None


def _processor(seen: SnapshotView, name: str) -> bool:
    host = seen.section(System, "host")
    return host is not None and host.cpu is not None and getattr(host.cpu, name) is not None


def _version(seen: SnapshotView, framework: str) -> bool:
    found = seen.framework(framework)
    return found is not None and found.version is not None


def _build(seen: SnapshotView, framework: str) -> bool:
    found = seen.framework(framework)
    return found is not None and bool(found.version and found.variant)


def _archs(seen: SnapshotView, framework: str) -> bool:
    found = seen.framework(framework)
    return found is not None and bool(found.version and found.archs)


def _built_for(seen: SnapshotView, extension: str) -> bool:
    """An extension says which torch it was built for."""
    found = seen.framework(extension)
    return found is not None and found.built_for_torch is not None


_FACTS: dict[str, Callable[[SnapshotView], bool]] = {
    "gpus": lambda seen: seen.section(Gpus, "gpus") is not None,
    "gpu.name": _gpus_named,
    "gpu.capability": _capabilities,
    "kernel": lambda seen: _host(seen, "kernel"),
    "arch": lambda seen: _host(seen, "arch"),
    "libc": lambda seen: _host(seen, "libc_version"),
    "memory": lambda seen: _host(seen, "memory_total"),
    "groups": lambda seen: _host(seen, "groups"),
    "tegra": lambda seen: _host(seen, "tegra"),
    "system.release": _release_of_system,
    "macos": lambda seen: seen.os == "macos",
    "torch.not-xpu": lambda seen: seen.variant("torch") not in (None, "xpu"),
    "toolkit": _toolkit,
    "compiler": _compiler,
    "python": lambda seen: _python(seen, "version"),
    "python.bits": lambda seen: _python(seen, "bits"),
}
#: Kinds of facts of which there is one for each library, framework or field.
_OF: dict[str, Callable[[SnapshotView, str], bool]] = {
    "driver": _driver,
    "copy": _copy,
    "space": _space,
    "processor": _processor,
    "version": _version,
    "build": _build,
    "archs": _archs,
    "built-for": _built_for,
    "said": SnapshotView.is_around,
}
