"""`fit` and `look_up`: what the compatibility matrix knows."""

from importlib import import_module
from typing import Annotated, Literal

import click
from msgspec import Meta

from gpudoctor.assist.quoting import cut, printable
from gpudoctor.assist.tool import CannotAnswer, Session, Short, Takes, Tool
from gpudoctor.cli.machine_options_parse import capability_of, driver_of, glibc_of, name_of, platform_of, python_of
from gpudoctor.cli.matrix import SUBJECTS
from gpudoctor.facts.base import Fact
from gpudoctor.facts.fix import Run
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Environment, Proposal, Refusal
from gpudoctor.plan.demand import NotADemand, parse_demand
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.pairing import fit_with_extras
from gpudoctor.report.commands import step_lines
from gpudoctor.report.fit_text import way_text
from gpudoctor.report.matrix_tables import NotKnown, Sheet

#: Rows of a table, tables, and characters of a cell.
_ROWS, _SHEETS, _CELL = 12, 4, 120


class Wanted(Takes, frozen=True, kw_only=True):
    """What is wanted, and the machine it is for. What is not given is not judged."""

    packages: Annotated[
        tuple[str, ...],
        Meta(description="torch, tensorflow>=2.16, jax, torchvision, flash-attn ...; the first is the most important."),
    ] = ("torch",)
    gpu: Annotated[
        tuple[str, ...], Meta(description="Names ('RTX 4090'), PCI ids or compute capabilities ('8.9').")
    ] = ()
    driver: Annotated[str | None, Meta(description="The driver's release: 535, 580.65.06.")] = None
    python: str | None = None
    os: Literal["linux", "windows", "macos"] = "linux"
    arch: str | None = None
    glibc: Annotated[str | None, Meta(description="The C library of a Linux system: 2.35, or musl.")] = None
    cpu: Annotated[bool, Meta(description="Builds without a GPU.")] = False


class Build(Fact, frozen=True, kw_only=True):
    """A build that fits."""

    build: str
    cuda: str | None = None
    index_url: str | None = None
    why: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    #: The next newer one, and what keeps it away.
    not_newer: str | None = None
    source: str = ""
    checked: str = ""


class Fitting(Fact, frozen=True, kw_only=True):
    """What fits: environments with the commands that make them, or why nothing does."""

    fits: bool
    commands: tuple[str, ...] = ()
    builds: tuple[Build, ...] = ()
    notes: tuple[str, ...] = ()
    #: Why nothing fits, and what would change that.
    refusals: tuple[str, ...] = ()
    separate_because: str | None = None
    alternatives: tuple[str, ...] = ()
    #: Facts that were not given.
    not_judged: tuple[str, ...] = ()
    matrix_edition: str


def fit(asked: Wanted, session: Session) -> Fitting:
    """The builds. Raises CannotAnswer."""
    matrix = load_matrix()
    try:
        found = fit_with_extras(machine_of(asked, matrix), parse_demand(asked.packages), matrix)
    except (NotADemand, click.ClickException) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise CannotAnswer(f"It was not understood: {session.quoting().text(text, 400)}") from None
    windows = found.machine.os == "windows"
    return Fitting(
        fits=not found.refusals,
        commands=tuple(line for one in found.environments for line in _commands(one, windows=windows)),
        builds=tuple(_build(one) for environment in found.environments for one in environment.proposals),
        notes=tuple(note for environment in found.environments for note in environment.notes),
        refusals=tuple(_refusal(one) for one in found.refusals),
        separate_because=found.separate_because,
        alternatives=tuple(one.build for one in found.alternatives)[:6],
        not_judged=found.not_judged,
        matrix_edition=matrix.edition,
    )


def machine_of(asked: Wanted, matrix: Matrix) -> Machine:
    """The machine that a call describes. Raises click.ClickException."""
    cpu = asked.cpu
    if cpu and (asked.gpu or asked.driver):
        raise click.UsageError("cpu asks for builds without a GPU, and gpu or driver for builds with one.")
    if asked.os == "macos" and (asked.gpu or asked.driver):
        raise click.UsageError("macOS has no driver for NVIDIA GPUs: leave gpu and driver out.")
    return Machine(
        driver=driver_of(asked.driver),
        capabilities=tuple(capability_of(name, matrix) for name in asked.gpu),
        gpu_names=tuple(name_of(name, matrix) for name in asked.gpu),
        python=python_of(asked.python),
        platform=platform_of(asked.os, asked.arch),
        libc="musl" if asked.glibc == "musl" else "glibc" if asked.glibc else None,
        libc_version=glibc_of(asked.glibc),
        cpu_only=cpu,
    )


def _commands(environment: Environment, *, windows: bool) -> list[str]:
    argvs = (environment.command, *environment.after)
    return [line for argv in argvs for line in step_lines(Run(argv=argv), windows=windows)]


def _build(one: Proposal) -> Build:
    newer = one.why_not_newer
    return Build(
        build=one.build,
        cuda=one.cuda,
        index_url=one.index_url,
        why=tuple(reason.text for reason in one.why),
        limits=one.limits,
        not_newer=f"{newer.build}: {'; '.join(reason.text for reason in newer.obstacles)}" if newer else None,
        source=one.source,
        checked=one.checked,
    )


def _refusal(one: Refusal) -> str:
    return "; ".join([one.text, *(way_text(way) for way in one.ways[:3])])


def _short_fit(found: Fitting) -> Short:
    builds = ", ".join(one.build for one in found.builds)
    return Short(
        verdict=f"fits: {builds}" if found.fits else "does not fit",
        command=found.commands[0] if found.commands else None,
        because=found.refusals[0] if found.refusals else found.builds[0].not_newer if found.builds else None,
        sure=f"not judged: {', '.join(found.not_judged)}" if found.not_judged else "all that was given was judged",
    )


class Subject(Takes, frozen=True, kw_only=True):
    """What to look up."""

    subject: Literal["torch", "tensorflow", "jax", "keras", "cuda", "driver", "gpu", "cudnn"]
    which: Annotated[
        str | None, Meta(description="A release or a name: 2.6.0, 12.4, 535, 'RTX 3090'. Without it, the newest rows.")
    ] = None
    start: Annotated[int, Meta(description="The first row to show.")] = 0


class Table(Fact, frozen=True, kw_only=True):
    """A table of the matrix, or a part of it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    #: All rows that there are.
    of: int
    #: Where its rows are from.
    sources: tuple[str, ...] = ()


class LookedUp(Fact, frozen=True, kw_only=True):
    """What the matrix knows of a subject."""

    matrix_edition: str
    tables: tuple[Table, ...]


def look_up(asked: Subject, session: Session) -> LookedUp:
    """The rows. Raises CannotAnswer."""
    module, function, *_ = SUBJECTS[asked.subject]
    matrix = load_matrix()
    sheets = getattr(import_module(f"gpudoctor.report.matrix_tables_{module}"), function)
    try:
        found: tuple[Sheet, ...] = sheets(matrix, asked.which)
    except NotKnown as error:
        near = f" Known: {', '.join(error.near[:5])}." if error.near else ""
        raise CannotAnswer(f"The matrix knows no {session.quoting().text(error.what, 80)}.{near}") from None
    return LookedUp(
        matrix_edition=matrix.edition, tables=tuple(_table(one, max(0, asked.start)) for one in found[:_SHEETS])
    )


def _table(sheet: Sheet, start: int) -> Table:
    shown = sheet.lines[start : start + _ROWS]
    return Table(
        title=sheet.title,
        columns=sheet.columns,
        rows=tuple(tuple(cut(printable(cell), _CELL) for cell in line.cells) for line in shown),
        of=len(sheet.lines),
        sources=tuple(dict.fromkeys(line.row.source for line in shown if line.row is not None))[:3],
    )


def _short_look_up(found: LookedUp) -> Short:
    first = found.tables[0] if found.tables else None
    row = "; ".join(f"{name} {cell}" for name, cell in zip(first.columns, first.rows[0], strict=False) if cell) if (
        first and first.rows
    ) else "nothing"  # fmt: skip
    return Short(verdict=row, sure=f"matrix of {found.matrix_edition}")


FIT = Tool(
    name="fit",
    title="Which builds fit",
    about="Names the newest builds of PyTorch, TensorFlow, JAX and packages that go with them which fit a "
    "machine (GPU, driver, Python, system), with the exact commands and why nothing newer does. Call it before writing "
    "any install command: releases, index tags and bounds change, and it is dated.",
    takes=Wanted,
    gives=Fitting,
    run=fit,
    short=_short_fit,
    deadline=20,
)
LOOK_UP = Tool(
    name="look_up",
    title="Look up the compatibility matrix",
    about="Rows of the compatibility matrix with their sources: releases and builds of a framework, a GPU's compute "
    "capability and driver branches, the driver a CUDA version needs, cuDNN releases. Give `which` for one row.",
    takes=Subject,
    gives=LookedUp,
    run=look_up,
    short=_short_look_up,
    deadline=20,
)
