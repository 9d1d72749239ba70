"""The MCP tool `fit`: which builds fit a machine by the compatibility matrix."""

from datetime import date
from typing import Annotated

import click
from msgspec import Meta

from gpudoctor.assist.tool import CannotAnswer, Elsewhere, Session, Short, Tool
from gpudoctor.cli.machine_options_parse import described_machine
from gpudoctor.facts.base import Fact
from gpudoctor.facts.fix import Run
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Environment, Proposal, Refusal
from gpudoctor.plan.demand import NotADemand, parse_demand
from gpudoctor.plan.fit_as_of import fit_as_of
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.pairing import fit_with_extras
from gpudoctor.report.commands import step_lines
from gpudoctor.report.fit_lines import way_text


class Wanted(Elsewhere, frozen=True, kw_only=True):
    """What is wanted, and the machine it is for. What is not given is not judged."""

    packages: Annotated[
        tuple[str, ...],
        Meta(description="torch, tensorflow>=2.16, jax, torchvision, flash-attn ...; the first is the most important."),
    ] = ("torch",)
    cpu: Annotated[bool, Meta(description="Builds without a GPU.")] = False
    as_of: Annotated[
        str | None,
        Meta(description="A day, 2023-05-01: what fitted then, such as when a ticket was written."),
    ] = None


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
        machine, demand = machine_of(asked, matrix, cpu=asked.cpu), parse_demand(asked.packages)
        found = (
            fit_as_of(machine, demand, _day(asked.as_of), matrix)
            if asked.as_of is not None
            else fit_with_extras(machine, demand, matrix)
        )
    except (NotADemand, click.ClickException) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise CannotAnswer(f"It was not understood: {session.quoting().text(text, 400)}") from None
    windows = found.machine.os == "windows"
    return Fitting(
        fits=not found.refusals,
        commands=tuple(line for one in found.environments for line in _commands(one, windows=windows)),
        builds=tuple(_build(one) for environment in found.environments for one in environment.proposals),
        notes=(*found.then, *(note for environment in found.environments for note in environment.notes)),
        refusals=tuple(_refusal(one) for one in found.refusals),
        separate_because=found.separate_because,
        alternatives=tuple(one.build for one in found.alternatives)[:6],
        not_judged=found.not_judged,
        matrix_edition=matrix.edition,
    )


def _day(text: str) -> str:
    """A day, ISO. Raises CannotAnswer."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise CannotAnswer("as_of is a day, written 2023-05-01.") from None


def machine_of(asked: Elsewhere, matrix: Matrix, *, cpu: bool = False) -> Machine:
    """The machine that a call describes, Linux by default. Raises click.ClickException."""
    if cpu and (asked.gpu or asked.driver):
        raise click.UsageError("cpu asks for builds without a GPU, and gpu or driver for builds with one.")
    if (asked.os == "macos" or asked.macos is not None) and (asked.gpu or asked.driver):
        raise click.UsageError("macOS has no driver for NVIDIA GPUs: leave gpu and driver out.")
    return described_machine(
        matrix,
        gpus=tuple(asked.gpu),
        driver=asked.driver,
        python=asked.python,
        system="macos" if asked.macos is not None else asked.os or "linux",
        arch=asked.arch,
        glibc=asked.glibc,
        macos=asked.macos,
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
