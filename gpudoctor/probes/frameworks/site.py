"""Finds a framework's folder in site-packages, and reads its version files."""

from functools import cached_property
from typing import Any

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.python import Framework, Interpreter, Package, Packages
from gpudoctor.host.port import Host
from gpudoctor.probes import fatbin
from gpudoctor.probes.elf import reader
from gpudoctor.probes.host_files import exists, names_in, text_of
from gpudoctor.probes.target.choice import path_rules

_ASSIGNMENT = re.compile(
    r"""^[ \t]*(\w+)[ \t]*(?::[ \t]*[\w\[\].|]+(?:[ \t]+[\w\[\].|]+)*[ \t]*)?=[ \t]*"""
    r"""(?:['"]([^'"\n]*)['"]|(True|False|None)\b)""",
    re.M,
)


def parse_assignments(text: str) -> dict[str, str | None]:
    """The plain assignments of a Python file: name → text ("True" and "False" too), None for None."""
    return {name: word if word and word != "None" else (None if word else text) for name, text, word in _found(text)}


def _found(text: str) -> list[tuple[str, str, str]]:
    return _ASSIGNMENT.findall(text)


def framework(name: str, package: Package | None, version: str | None = None, **facts: Any) -> Framework:
    """A framework that a distribution brings. `version`: as its own files say, where that is not the distribution's."""
    of_package = package.version if package else None
    dist = package.name if package else None
    return Framework(name=name, dist=dist, version=version or of_package, metadata_version=of_package, **facts)


class Site:
    """The target's installed files."""

    def __init__(self, host: Host, interpreter: Interpreter, packages: Packages) -> None:
        self.host = host
        self.interpreter = interpreter
        self._packages = packages
        self._join = path_rules(host).join
        self._names: dict[str, tuple[str, ...]] = {}

    @cached_property
    def packages(self) -> dict[str, Package]:
        """The distributions by normalised name."""
        found: dict[str, Package] = {}
        for package in self._packages.installed:
            found.setdefault(package.name, package)
        return found

    def first_of(self, *names: str) -> Package | None:
        """The first of these distributions that is installed."""
        return next((self.packages[name] for name in names if name in self.packages), None)

    def matching(self, pattern: re.Pattern[str]) -> tuple[Package, ...]:
        """The distributions whose names match."""
        return tuple(package for name, package in self.packages.items() if pattern.fullmatch(name))

    def names(self, *parts: str) -> tuple[str, ...]:
        """The names in a folder; none where there is no such folder."""
        folder = self._join(*parts)
        if folder not in self._names:
            self._names[folder] = names_in(self.host, folder) or ()
        return self._names[folder]

    def folder(self, module: str, package: Package | None) -> str | None:
        """Where the import package lies: beside its distribution's metadata, else in the first site folder with it."""
        own = (package.location,) if package is not None and package.location else ()
        for place in (*own, *self.interpreter.site_dirs):
            if module in self.names(place) and self.names(place, module):
                return self._join(place, module)
        return None

    def path(self, *parts: str) -> str:
        """A path as the target's platform writes it."""
        return self._join(*parts)

    def text(self, *parts: str) -> str | None:
        """The text of a file; None where it is not there."""
        return text_of(self.host, self._join(*parts), limit=256 * 1024)

    def assignments(self, *parts: str) -> dict[str, str | None] | None:
        """The plain assignments of a Python file; None where it is not there."""
        text = self.text(*parts)
        return None if text is None else parse_assignments(text)

    def metadata(self, package: Package | None) -> str | None:
        """The distribution's own METADATA."""
        if package is None or package.location is None:
            return None
        wanted = f"-{package.version}.dist-info"
        for name in self.names(package.location):
            if name.endswith(wanted) and re.sub(r"[-_.]+", "-", name[: -len(wanted)]).lower() == package.name:
                return self.text(package.location, name, "METADATA")
        return None

    def has_one_of(self, folder: str | None, *files: str, beside: str) -> bool | None:
        """Whether one of these files is in a package's folder; None where not even what lies beside them was seen."""
        if folder is None or not exists(self.host, self._join(folder, *beside.split("/"))):
            return None
        return any(exists(self.host, self._join(folder, *file.split("/"))) for file in files)

    def archs_of(self, *paths: str) -> tuple[tuple[str, ...] | None, Source | None]:
        """The GPU architectures compiled into the first of these files that has any."""
        for path in paths:
            archs = fatbin.architectures(fatbin.sample(reader(self.host, path)))
            if archs is not None:
                return archs, Source(kind="file", where=path)
        return None, None
