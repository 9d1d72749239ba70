"""What a user asks to be installed: words of the command line, files of requirements, a project."""

import click

from gpudoctor.host.given import read_given
from gpudoctor.plan.demand import Demand, NotADemand, parse_demand, together
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.requirements import Asked, markers_of, parse_project, parse_requirements

PROJECT = "pyproject.toml"
#: Bytes of a requirements file.
LIMIT = 4 * 1024 * 1024


def asked_for(
    words: tuple[str, ...], cuda: str | None, requirements: str | None, machine: Machine, *, from_pyproject: bool
) -> Asked:
    """Everything that is asked for, in the order: words, file, project. Raises click.UsageError."""
    try:
        found = Asked(demand=parse_demand(words, cuda))
        if requirements is not None:
            more = parse_requirements(requirements, _read, markers_of(machine), cuda)
            found = _with(found, more, cuda)
        if from_pyproject:
            found = _with(found, parse_project(PROJECT, _project(), markers_of(machine), cuda), cuda)
    except NotADemand as error:
        raise click.UsageError(str(error)) from None
    if found.demand == Demand() or found.demand == Demand(cpu_only=found.demand.cpu_only):
        raise click.UsageError("nothing is asked for. Name a framework: torch, tensorflow or jax.")
    return found


def _with(one: Asked, other: Asked, cuda: str | None) -> Asked:
    return Asked(
        demand=together(one.demand, other.demand, cuda),
        indexes=tuple(dict.fromkeys((*one.indexes, *other.indexes))),
        notes=(*one.notes, *other.notes),
    )


def _project() -> str:
    try:
        return _read(PROJECT)
    except OSError as error:
        raise NotADemand(f"{PROJECT} could not be read here: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise NotADemand(f"{PROJECT} is no text (UTF-8).") from None


def _read(path: str) -> str:
    return read_given(path, limit=LIMIT, pipes=True).decode("utf-8-sig")
