"""Chooses the Python interpreter to examine."""

import ntpath
import posixpath
import sys
from typing import Literal, Protocol

from gpudoctor.facts.base import Fact, Gap, Source
from gpudoctor.host.port import Host

ChosenBy = Literal["--python", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH", "own", "report"]
FaultKind = Literal[
    "missing", "directory", "not-executable", "unreadable", "too-old", "crashed", "timed-out", "failed", "garbage"
]


class Fault(Fact, frozen=True, kw_only=True):
    """Why an interpreter cannot be examined, as one sentence that can be shown."""

    kind: FaultKind
    reason: str
    tried: tuple[Source, ...] = ()

    @property
    def gap(self) -> Gap:
        """The section that stands in for the interpreter."""
        return Gap(reason=self.reason, tried=self.tried)


class Choice(Fact, frozen=True, kw_only=True):
    """The interpreter to examine. With a `fault` it cannot be, and `executable` is what was asked for."""

    executable: str
    chosen_by: ChosenBy
    fault: Fault | None = None
    #: Settings that name an environment without a Python: VIRTUAL_ENV=/gone.
    passed_over: tuple[str, ...] = ()


class PathRules(Protocol):
    """What posixpath and ntpath have in common: the host's way to write paths, which may not be ours."""

    sep: str
    pathsep: str

    def join(self, path: str, /, *paths: str) -> str:
        """See os.path."""
        ...

    def dirname(self, p: str, /) -> str:
        """See os.path."""
        ...

    def basename(self, p: str, /) -> str:
        """See os.path."""
        ...

    def isabs(self, s: str, /) -> bool:
        """See os.path."""
        ...

    def normpath(self, path: str, /) -> str:
        """See os.path."""
        ...

    def normcase(self, s: str, /) -> str:
        """See os.path."""
        ...


def path_rules(host: Host) -> PathRules:
    """How paths are written on that host."""
    return ntpath if host.platform == "win32" else posixpath


def choose(host: Host, python: str | None) -> Choice:
    """The interpreter `python` names (a file, a command on PATH or an environment's folder), else the active one."""
    if python is not None:
        return _named(host, python)
    passed_over: list[str] = []
    for variable in _active(host):
        folder = host.env[variable]
        executable = python_of_environment(host, folder)
        if executable is not None:
            return Choice(executable=executable, chosen_by=variable, passed_over=tuple(passed_over))
        passed_over.append(f"{variable}={folder}")
    for name in ("python", "python3") if host.platform == "win32" else ("python3", "python"):
        found = host.which(name)
        if found is not None:
            return Choice(executable=found, chosen_by="PATH", passed_over=tuple(passed_over))
    return Choice(executable=sys.executable, chosen_by="own", passed_over=tuple(passed_over))


def _active(host: Host) -> list[Literal["VIRTUAL_ENV", "CONDA_PREFIX"]]:
    """VIRTUAL_ENV and CONDA_PREFIX as far as set; where both are, the one first on PATH is what `python` starts."""
    both: tuple[Literal["VIRTUAL_ENV"], Literal["CONDA_PREFIX"]] = ("VIRTUAL_ENV", "CONDA_PREFIX")
    names = [name for name in both if host.env.get(name)]
    if len(names) < 2:
        return names
    rules = path_rules(host)
    on_path = [rules.normcase(entry) for entry in host.env.get("PATH", "").split(rules.pathsep)]

    def rank(name: str) -> int:
        start = rules.normcase(host.env[name]).rstrip(rules.sep)
        places = (index for index, entry in enumerate(on_path) if entry == start or entry.startswith(start + rules.sep))
        return next(places, len(on_path))

    return sorted(names, key=rank)


def python_of_environment(host: Host, folder: str) -> str | None:
    """The interpreter in a virtualenv's or conda environment's folder."""
    rules = path_rules(host)
    posix = ("bin/python", "bin/python3")
    windows = ("Scripts\\python.exe", "python.exe", "bin\\python.exe")
    for name in windows if host.platform == "win32" else posix:
        candidate = rules.join(folder, name)
        stat = host.stat(candidate)
        if stat is not None and (isinstance(stat, Gap) or stat.kind == "file"):
            return candidate
    return None


def _named(host: Host, python: str) -> Choice:
    rules = path_rules(host)
    is_bare = rules.basename(python) == python and python not in ("", ".", "..")
    path = rules.normpath(rules.join(host.cwd, python)) if python else python
    if is_bare and host.stat(path) is None:
        on_path = host.which(python)
        if on_path is not None:
            return Choice(executable=on_path, chosen_by="--python")
    stat = host.stat(path) if path else None
    if isinstance(stat, Gap):
        return _refused(python, "unreadable", f"cannot be looked at: {stat.reason}")
    if stat is None:
        return _refused(python, "missing", _why_missing(host, path))
    if stat.kind != "directory":
        return Choice(executable=path, chosen_by="--python")
    inside = python_of_environment(host, path)
    if inside is None:
        return _refused(
            python, "directory", "is a folder, and no Python environment: it has no bin/python or Scripts\\python.exe"
        )
    return Choice(executable=inside, chosen_by="--python")


def _why_missing(host: Host, path: str) -> str:
    leads_to = host.link(path) if path else None
    if leads_to is not None:
        return f"is a link to {leads_to}, which does not exist; the Python it was made with was removed or moved"
    return "does not exist"


def _refused(python: str, kind: FaultKind, what: str) -> Choice:
    return Choice(executable=python, chosen_by="--python", fault=_fault(python, kind, what))


def _fault(python: str, kind: FaultKind, what: str) -> Fault:
    return Fault(kind=kind, reason=f"{python or 'The empty name'} {what}.", tried=(Source(kind="file", where=python),))
