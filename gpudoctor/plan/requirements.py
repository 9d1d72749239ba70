"""What requirements.txt and pyproject.toml ask for, as a demand: frameworks are chosen, the rest is passed on.

The format is pip's: pip.pypa.io/en/stable/reference/requirements-file-format. Files are read by the caller.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from gpudoctor.formats.toml import parse_toml
from gpudoctor.model.base import Fact
from gpudoctor.model.versions import is_bounded
from gpudoctor.plan.demand import (
    ALIASES,
    COMPANIONS,
    EXTRAS,
    FRAMEWORKS,
    Demand,
    NotADemand,
    demand_of,
    joined,
    name_of,
)
from gpudoctor.plan.machine import Machine

#: Files that include each other deeper than this are a circle.
MOST_DEEP = 10
_INCLUDE = re.compile(r"(?:-r|--requirement)(?:\s*=\s*|\s+|(?=[^-\s]))(.+)")
_CONSTRAIN = re.compile(r"(?:-c|--constraint)(?:\s*=\s*|\s+|(?=[^-\s]))(.+)")
_HASH = re.compile(r"\s--hash[=\s]\S+")
_INDEX = re.compile(r"(?:-i|--index-url|--extra-index-url|-f|--find-links)(?:\s*=\s*|\s+)(\S+)")

_SYSTEMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
    "macos": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
}

Read = Callable[[str], str]
Environment = Mapping[str, str]


class Asked(Fact, frozen=True, kw_only=True):
    """What files ask for: the demand, and indexes that they name beside the usual one."""

    demand: Demand
    indexes: tuple[str, ...] = ()
    #: What was read over, in words: hashes of frameworks, editable installs.
    notes: tuple[str, ...] = ()


class _Line(Fact, frozen=True, kw_only=True):
    file: str
    number: int
    text: str

    def error(self, text: str) -> NotADemand:
        return NotADemand(f"{self.file}, line {self.number}: {text}")


def markers_of(machine: Machine) -> dict[str, str]:
    """The variables of markers (PEP 508) for a machine; what is not known of it is as it is here."""
    # Imported here: only files of requirements have markers.
    from packaging.markers import default_environment

    found: dict[str, str] = {name: str(value) for name, value in default_environment().items()}
    if machine.python is not None:
        found |= {"python_version": machine.python, "python_full_version": f"{machine.python}.0"}
    if machine.platform is not None:
        system, processor = machine.platform.split("-", 1)
        processor = "AMD64" if machine.platform == "windows-x86_64" else processor
        found |= {"platform_machine": processor, **_SYSTEMS.get(system, {})}
    return found


def parse_requirements(path: str, read: Read, environment: Environment, cuda: str | None = None) -> Asked:
    """The demand of a requirements file and of those that it includes. Raises NotADemand, with file and line.

    `read` gives the text of a file and raises OSError; `environment` holds the markers' variables (PEP 508) of the
    Python that is installed into.
    """
    known: dict[str, str] = {}
    others: list[str] = []
    indexes: list[str] = []
    notes: list[str] = []
    bounds: dict[str, str] = {}
    constraints: list[str] = []
    for line in _lines(path, read, 0):
        constraint = _CONSTRAIN.fullmatch(line.text)
        if constraint is not None:
            file = _beside(line.file, constraint.group(1))
            constraints.append(file)
            for one in _lines(file, read, 0, line):
                _bound(one, bounds, environment)
        elif index := _INDEX.fullmatch(line.text):
            indexes.append(index.group(1))
        elif line.text.startswith(("-e", "--editable")):
            others.append(line.text)
            notes.append(f"{line.file}, line {line.number}: an editable install is left to the installer.")
        elif line.text.startswith("-"):
            notes.append(f"{line.file}, line {line.number}: the option {line.text.split()[0]} was read over.")
        else:
            _take(line, environment, known, others, notes)
    for name, bound in bounds.items():
        if name in known:
            known[name] = joined(known[name], bound, name)
    demand = replace(demand_of(known, tuple(others), cuda), constraints=tuple(dict.fromkeys(constraints)))
    return Asked(demand=demand, indexes=tuple(dict.fromkeys(indexes)), notes=tuple(notes))


def parse_project(path: str, text: str, environment: Environment, cuda: str | None = None) -> Asked:
    """The demand of [project] dependencies in a pyproject.toml. Raises NotADemand."""
    try:
        document = parse_toml(text.encode())
        listed = document.get("project", {}).get("dependencies", [])
    except (ValueError, AttributeError) as error:
        raise NotADemand(f"{path} could not be read: {error}") from None
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise NotADemand(f"{path}: [project] dependencies is no list of requirements.")
    if not listed:
        raise NotADemand(f"{path} names no [project] dependencies.")
    known: dict[str, str] = {}
    others: list[str] = []
    notes: list[str] = []
    for number, requirement in enumerate(listed, 1):
        found = _Line(file=path, number=_line_of(text, requirement, number), text=requirement.strip())
        _take(found, environment, known, others, notes)
    return Asked(demand=demand_of(known, tuple(others), cuda), notes=tuple(notes))


def _take(line: _Line, environment: Environment, known: dict[str, str], others: list[str], notes: list[str]) -> None:
    """Sort one requirement: a framework, which is chosen, or anything else, which is passed on as it is written."""
    # Imported here: reading requirements is heavy, and a check needs none.
    from packaging.requirements import InvalidRequirement, Requirement

    text = _HASH.sub("", f" {line.text}").strip()
    if not is_bounded(text):
        raise line.error("it has a number that no version has.")
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        if re.match(r"[./~\\]|[A-Za-z]:\\|\w+:|.*\.(?:whl|zip|tar\.gz)$", text):
            others.append(text)
            notes.append(f"{line.file}, line {line.number}: a file or address is left to the installer.")
            return
        reason = str(error).splitlines()[0].rstrip(".")
        raise line.error(f"{text!r} is no requirement: {reason}.") from None
    if requirement.marker is not None and not requirement.marker.evaluate(dict(environment)):
        return
    if text != line.text:
        notes.append(f"{line.file}, line {line.number}: the hashes are read over, as builds are chosen here.")
    name = ALIASES.get(name_of(requirement), name_of(requirement))
    if requirement.url is not None or name not in (*FRAMEWORKS, *COMPANIONS, *EXTRAS):
        requirement.marker = None
        others.append(str(requirement))
        return
    try:
        known[name] = joined(known.get(name, ""), str(requirement.specifier), name)
    except NotADemand as error:
        raise line.error(str(error)) from None


def _bound(line: _Line, bounds: dict[str, str], environment: Environment) -> None:
    """A line of a constraints file: it bounds what is asked for, and asks for nothing. The installer reads it, too."""
    found: dict[str, str] = {}
    _take(line, environment, found, [], [])
    for name, specifier in found.items():
        bounds[name] = joined(bounds.get(name, ""), specifier, name)


def _lines(path: str, read: Read, depth: int, by: _Line | None = None) -> Iterator[_Line]:
    """The logical lines of a file and of those it includes: continued, without comments, variables left alone."""
    said = by.error if by is not None else NotADemand
    if depth > MOST_DEEP:
        raise said(f"{path} is included again and again.")
    try:
        text = read(path)
    except OSError as error:
        raise said(f"{path} could not be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise said(f"{path} is no text (UTF-8).") from None
    start, joined_text = 0, ""
    for number, raw in enumerate(text.splitlines(), 1):
        start = start or number
        if raw.endswith("\\") and not raw.lstrip().startswith("#"):
            joined_text += raw[:-1]
            continue
        whole = re.sub(r"(^|\s)#.*$", "", joined_text + raw).strip()
        line = _Line(file=path, number=start, text=whole)
        start, joined_text = 0, ""
        include = _INCLUDE.fullmatch(whole)
        if include is not None:
            yield from _lines(_beside(path, include.group(1)), read, depth + 1, line)
        elif whole:
            yield line


def _beside(file: str, name: str) -> str:
    """A file that another one names is looked for beside it."""
    return name.strip() if os.path.isabs(name) or "://" in name else os.path.join(os.path.dirname(file), name.strip())


def _line_of(text: str, requirement: str, otherwise: int) -> int:
    return next((n for n, line in enumerate(text.splitlines(), 1) if requirement in line), otherwise)
