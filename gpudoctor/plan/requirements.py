"""Reads requirements.txt and pyproject.toml as an install request; frameworks in them are solved for.

A file of requirements is handed to pip or uv as it is (-r), and the chosen builds are named beside it. So every line is
read by the installer, and only what tells which frameworks are meant is read here.
"""

import os
from collections.abc import Mapping

from msgspec.structs import replace

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import is_bounded
from gpudoctor.knowledge.installer_options import options_in
from gpudoctor.plan.demand import (
    COMPANIONS,
    EXTRAS,
    FRAMEWORKS,
    NOT_IN_FILES,
    Demand,
    NotADemand,
    demand_of,
    joined,
    name_of,
)
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.requirement_lines import Line, Read, read_lines, text_of
from gpudoctor.redact.credentials import without_credentials
from gpudoctor.sources.toml import parse_toml

_SYSTEMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
    "macos": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
}
#: Files that are no requirements, and what makes some of them.
_OTHER_FILES = {
    "uv.lock": "uv export --locked --output-file locked.txt",
    "poetry.lock": "poetry export --output locked.txt",
    "pdm.lock": "pdm export --output locked.txt",
    "Pipfile.lock": "pipenv requirements --hash > locked.txt",
    "conda-lock.yml": "conda-lock install --name NAME conda-lock.yml",
    "pixi.lock": "pixi install --locked",
}
#: Addresses that pip takes (pip._internal.req.constructors, pip._internal.vcs); no "dependencies:" of YAML.
_ADDRESS = r"(?:https?|ftp|file|(?:git|hg|svn|bzr)(?:\+\w+)?):"
_PYLOCK = re.compile(r"pylock(\.[^.]+)?\.toml")

Environment = Mapping[str, str]


class Asked(Fact, frozen=True, kw_only=True):
    """What files ask for: the demand, and the indexes that they name."""

    demand: Demand
    indexes: tuple[str, ...] = ()
    #: What a person should know, in words.
    notes: tuple[str, ...] = ()


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


def parse_requirements(
    path: str, read: Read, environment: Environment, cuda: str | None = None, variables: Mapping[str, str] | None = None
) -> Asked:
    """The demand of a requirements file and of those that it includes. Raises NotADemand, with file and line.

    `read` gives the text of a file and raises OSError; `environment` holds the markers' variables (PEP 508) of the
    Python that is installed into; `variables` those of the process, which a file may name.
    """
    if _PYLOCK.fullmatch(os.path.basename(path)):
        text_of(path, read)
        return Asked(demand=Demand(files=(path,), settled=f"{path} is a lock file", cpu_only=cuda == "cpu"))
    _refuse_other_files(path)
    known: dict[str, str] = {}
    bounds: dict[str, str] = {}
    extras: dict[str, frozenset[str]] = {}
    lines = tuple(read_lines(path, read, variables or {}))
    for line in lines:
        _take(line, environment, bounds if line.is_constraint else known, extras)
    for name, bound in bounds.items():
        if name in known:
            known[name] = joined(known[name], bound, name)
    settled = settled_by(path, lines)
    if settled:
        known = {}
    demand = demand_of(known, (), cuda or _cuda_of(extras.get("jax", frozenset())))
    demand = replace(demand, files=(path,), settled=settled, hashed=is_hashed(lines))
    indexes = tuple(dict.fromkeys(url for line in lines for url in line.values("--index-url", "--extra-index-url")))
    links = tuple(dict.fromkeys(url for line in lines for url in line.values("--find-links")))
    return Asked(demand=demand, indexes=indexes, notes=_shown(path, indexes, links, lines))


def is_hashed(lines: tuple[Line, ...]) -> bool:
    """Whether each file that is installed must have a hash that stands in the file."""
    return any(one.name in ("--hash", "--require-hashes") for line in lines for one in line.options)


def settled_by(path: str, lines: tuple[Line, ...]) -> str:
    """Why no build can be chosen beside a file: it settles where from, or which file is taken; empty where it can."""
    if is_hashed(lines):
        return f"{path} names the hash of every file"
    if any(line.values("--no-index") for line in lines):
        return f"{path} has --no-index"
    if any(line.values("--index-url") for line in lines):
        return f"{path} names the index (--index-url)"
    return ""


def not_for_uv(path: str, read: Read, variables: Mapping[str, str]) -> tuple[str, ...]:
    """The options of a file that pip reads and uv does not: it passes over them, or refuses the file. NotADemand."""
    if _PYLOCK.fullmatch(os.path.basename(path)):
        return ()
    found = [one.name for line in read_lines(path, read, variables) for one in line.options]
    return tuple(dict.fromkeys(name for name in found if name not in options_in("uv-file")))


def is_lock(path: str) -> bool:
    """Whether it is a lock file of PEP 751, which uv installs."""
    return _PYLOCK.fullmatch(os.path.basename(path)) is not None


def _refuse_other_files(path: str) -> None:
    name = os.path.basename(path)
    command = _OTHER_FILES.get(name)
    if command is not None and command.endswith("locked.txt"):
        raise NotADemand(f"{path} is no requirements file. Make one: {command}; then: -r locked.txt.")
    if name.endswith((".yml", ".yaml")):
        command = command or f"conda env create --file {path}"
    if command is not None:
        raise NotADemand(f"{path} is no requirements file. What installs it: {command}.")
    if name == "pyproject.toml":
        raise NotADemand(f"{path} is no requirements file. In its folder: --from-pyproject.")


def _shown(path: str, indexes: tuple[str, ...], links: tuple[str, ...], lines: tuple[Line, ...]) -> tuple[str, ...]:
    replaced = any(line.values("--index-url") for line in lines)
    notes = []
    if indexes:
        how = "at" if replaced else "at the usual index and at"
        notes.append(f"{path} looks for packages {how} {', '.join(indexes)}.")
    if links:
        notes.append(f"{path} looks for packages at {', '.join(links)} (--find-links).")
    if any(line.values("--no-index") for line in lines):
        notes.append(f"{path} looks for packages at no index (--no-index).")
    return tuple(map(without_credentials, notes))


def _cuda_of(extras: frozenset[str]) -> str | None:
    """The CUDA that an extra of JAX names: cuda12, cuda12_pip."""
    found = {match[1] for extra in extras if (match := re.match(r"cuda(\d\d)", extra))}
    return found.pop() if len(found) == 1 else None


def parse_project(path: str, text: str, environment: Environment, cuda: str | None = None) -> Asked:
    """The demand of [project] dependencies in a pyproject.toml. Raises NotADemand."""
    document = _toml(path, text)
    project = document.get("project", {})
    listed = project.get("dependencies", []) if isinstance(project, dict) else None
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise NotADemand(f"{path}: [project] dependencies is no list of requirements.")
    if not listed:
        raise NotADemand(f"{path} names no [project] dependencies.")
    known: dict[str, str] = {}
    extras: dict[str, frozenset[str]] = {}
    others: list[str] = []
    for number, requirement in enumerate(listed, 1):
        line = Line(file=path, number=_line_of(text, requirement, number), requirement=requirement.strip())
        if not _take(line, environment, known, extras) and _holds(line, environment):
            others.append(line.requirement)
    uv = _settings_of_uv(document)
    demand = demand_of(known, () if uv else tuple(others), cuda or _cuda_of(extras.get("jax", frozenset())))
    if uv:
        demand = replace(demand, files=(path,))
    return Asked(demand=demand, notes=_left_out(path, document))


def uv_settings_of(path: str, text: str) -> tuple[str, ...]:
    """The tables and keys of [tool.uv] by which uv resolves a project, and which pip does not know."""
    return _settings_of_uv(_toml(path, text))


def _toml(path: str, text: str) -> dict[str, object]:
    try:
        found: dict[str, object] = parse_toml(text.encode())
    except ValueError as error:
        raise NotADemand(f"{path} could not be read: {error}") from None
    if not isinstance(found.get("project", {}), dict):
        raise NotADemand(f"{path} could not be read: project is no table")
    return found


_UV_KEYS = ("constraint-dependencies", "override-dependencies", "sources", "index", "index-url", "extra-index-url")


def _settings_of_uv(document: Mapping[str, object]) -> tuple[str, ...]:
    tool = document.get("tool")
    uv = tool.get("uv") if isinstance(tool, dict) else None
    return tuple(key for key in _UV_KEYS if uv.get(key)) if isinstance(uv, dict) else ()


def _left_out(path: str, document: Mapping[str, object]) -> tuple[str, ...]:
    """Groups and extras are not asked for; that is said."""
    project, groups = document.get("project"), document.get("dependency-groups")
    extras = project.get("optional-dependencies") if isinstance(project, dict) else None
    named = (("extras", extras), ("groups", groups))
    found = [f"the {kind} {', '.join(map(str, some))}" for kind, some in named if isinstance(some, dict) and some]
    return (f"{path}: left out are {' and '.join(found)}.",) if found else ()


def _take(line: Line, environment: Environment, known: dict[str, str], extras: dict[str, frozenset[str]]) -> bool:
    """Note a framework, or what goes with it, that a line asks for; False for anything else."""
    # Imported here: reading requirements is heavy, and a check needs none.
    from packaging.requirements import InvalidRequirement, Requirement

    if not line.requirement:
        return False
    if not is_bounded(line.requirement):
        raise line.error("it has a number that no version has.")
    try:
        requirement = Requirement(line.requirement)
    except InvalidRequirement as error:
        if _is_place(line.requirement):
            return False
        reason = str(error).splitlines()[0].rstrip(".")
        raise line.error(f"{line.requirement!r} is no requirement: {reason}.") from None
    name = name_of(requirement)
    if requirement.url is not None or name not in (*FRAMEWORKS, *COMPANIONS, *EXTRAS) or not _holds(line, environment):
        return False
    if name in NOT_IN_FILES and not line.is_constraint:
        typed = f"{line.requirement.split(';')[0].strip()!r}" if requirement.specifier else name
        raise line.error(
            f"{name} is made for the torch or the CUDA that is installed, which a file cannot say. Take the line out, "
            f"and name it on the command line: {typed}."
        )
    try:
        known[name] = joined(known.get(name, ""), str(requirement.specifier), name)
    except NotADemand as error:
        raise line.error(str(error)) from None
    extras[name] = extras.get(name, frozenset()) | requirement.extras
    return True


def _holds(line: Line, environment: Environment) -> bool:
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        marker = Requirement(line.requirement).marker
    except InvalidRequirement:
        return True
    return marker is None or marker.evaluate(dict(environment))


def _is_place(text: str) -> bool:
    """A path, an archive, or an address: git+https://… too."""
    place = rf"[./~\\]|[A-Za-z]:\\|{_ADDRESS}|\S*[/\\]|.*\.(?:whl|zip|tar\.\w+|tgz)\b"
    return re.match(place, text, re.IGNORECASE) is not None


def _line_of(text: str, requirement: str, otherwise: int) -> int:
    return next((n for n, line in enumerate(text.splitlines(), 1) if requirement in line), otherwise)
