"""Parses what the user asks to install: words of the command line, requirements files, a project."""

import codecs
import os

from gpudoctor.errors import Misused
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.plan import Manager
from gpudoctor.host.safe_files import read_given
from gpudoctor.plan.demand import Demand, NotADemand, parse_demand, together
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.requirements import (
    Asked,
    is_lock,
    markers_of,
    not_for_uv,
    parse_project,
    parse_requirements,
    uv_settings_of,
)

PROJECT = "pyproject.toml"
#: Lock files of a project, and what writes their contents as requirements.
LOCKS = {
    "uv.lock": "uv export --locked --output-file locked.txt",
    "poetry.lock": "poetry export --output locked.txt",
    "pdm.lock": "pdm export --output locked.txt",
    "pylock.toml": None,
}
#: Bytes of a file of requirements; the largest lock files that are exported have a tenth of it.
LIMIT = 4 * 1024 * 1024
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_ENCODING = re.compile(rb"#.*?coding[:=]\s*([-\w.]+)")


def asked_for(
    words: tuple[str, ...],
    cuda: str | None,
    requirements: str | None,
    machine: Machine,
    *,
    from_pyproject: bool,
    index_url: str | None = None,
) -> Asked:
    """Everything that is asked for, in the order: words, file, project. Raises Misused."""
    try:
        found = Asked(demand=parse_demand(words, cuda, any_package=True))
        if requirements is not None:
            more = parse_requirements(requirements, read_text, markers_of(machine), cuda, os.environ)
            if index_url is not None and more.demand.settled:
                raise NotADemand(f"{more.demand.settled}, and --index-url names another one. Leave one out.")
            found = _with(found, more, cuda)
        if from_pyproject:
            _refuse_locks()
            found = _with(found, parse_project(PROJECT, _project(), markers_of(machine), cuda), cuda)
    except OSError as error:
        raise Misused(f"{requirements} could not be read: {error.strerror or error}.") from None
    if found.demand == Demand() or found.demand == Demand(cpu_only=found.demand.cpu_only):
        raise Misused("nothing is asked for. Name a framework: torch, tensorflow or jax.")
    return found


def manager_for(requirements: str | None, manager: Manager | None, *, from_pyproject: bool) -> Manager | None:
    """The installer that reads what is asked for: a file with options that only pip knows, a project of uv.

    `manager` is what the user named. Raises Misused where it cannot read that.
    """
    if requirements is not None and is_lock(requirements):
        return _only("uv", manager, f"{requirements} is a lock file, which uv installs")
    if requirements is not None and (options := not_for_uv(requirements, read_text, os.environ)):
        return _only("pip", manager, f"{requirements} has {', '.join(options)}, which uv does not read in a file")
    if from_pyproject and (settings := uv_settings_of(PROJECT, _project())):
        return _only("uv", manager, f"{PROJECT} has [tool.uv] {', '.join(settings)}, which only uv reads")
    return manager


def not_resolved(demand: Demand) -> tuple[str, ...]:
    """What is to be said of a plan that nobody was asked about."""
    if not (demand.others or demand.files):
        return ()
    return ("What other packages bring along was not resolved: `gpudoctor install --dry-run` does that.",)


def _only(wanted: Manager, manager: Manager | None, why: str) -> Manager:
    if manager == "uv" != wanted:
        raise Misused(f"{why}. Leave --manager out.")
    if manager is not None and wanted == "uv" != manager:
        raise Misused(f"{why}. Take --manager uv.")
    return manager or wanted


def _with(one: Asked, other: Asked, cuda: str | None) -> Asked:
    return Asked(
        demand=together(one.demand, other.demand, cuda),
        indexes=tuple(dict.fromkeys((*one.indexes, *other.indexes))),
        notes=(*one.notes, *other.notes),
    )


def _refuse_locks() -> None:
    """Raises NotADemand where the project's versions are locked: another resolution would not be what it asks for."""
    name = next((name for name in LOCKS if os.path.lexists(name)), None)
    if name is None:
        return
    command = LOCKS[name]
    first, file = (f"{command}; then: ", "locked.txt") if command else ("", name)
    raise NotADemand(
        f"{name} here locks the versions of this project. To install these: {first}gpudoctor install -r {file}. To "
        "resolve anew: copy pyproject.toml to another folder, and name that environment."
    )


def _project() -> str:
    try:
        return read_text(PROJECT)
    except OSError as error:
        raise NotADemand(f"{PROJECT} could not be read here: {error.strerror or error}.") from None
    except ValueError:
        raise NotADemand(f"{PROJECT} is no text (UTF-8).") from None


def read_text(path: str) -> str:
    """A regular file of at most 4 MB, decoded as pip does: by its byte order mark, its coding line, else UTF-8.

    Raises OSError and ValueError.
    """
    # No pipe: the installer reads it once more.
    raw = read_given(path, limit=LIMIT)
    encoding = next((name for mark, name in _MARKS.items() if raw.startswith(mark)), None)
    named = next((found for line in raw.split(b"\n", 2)[:2] if (found := _ENCODING.match(line))), None)
    try:
        return raw.decode(encoding or (named[1].decode() if named else "utf-8"))
    except LookupError:
        raise ValueError("it names an encoding that does not exist") from None
