"""The command `gpudoctor matrix fit`: which builds fit a described machine."""

from datetime import datetime

import click
from msgspec.structs import replace

from gpudoctor.cli.described_machine import Described, machine_options
from gpudoctor.cli.option_values import format_option
from gpudoctor.cli.show import show, show_age
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.as_of import as_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Fit
from gpudoctor.plan.demand import Demand, parse_demand
from gpudoctor.plan.fit_as_of import fit_as_of
from gpudoctor.plan.fit_range import fit_range
from gpudoctor.plan.pairing import fit_with_extras


@click.command("fit")
@machine_options
@click.option("--cpu", is_flag=True, help="Builds without a GPU.")
@click.option("--range", "is_range", is_flag=True, help="Also the oldest and the newest build that fit, by command.")
@click.option("--installed", metavar="VERSION", help="With --range: the build nearest to this one, 2.2.0 or 2.2.0+cpu.")
@click.option(
    "--as-of", "day", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="What fitted on a day: 2023-05-01."
)
@format_option("matrix fit")
@click.option("-v", "--verbose", is_flag=True, help="Also the sources.")
@click.argument("wish", nargs=-1, metavar="[torch] [tensorflow] [jax] [torchvision] [xformers] ...")
def command(
    described: Described,
    cpu: bool,
    is_range: bool,
    installed: str | None,
    day: datetime | None,
    form: str,
    verbose: bool,
    wish: tuple[str, ...],
) -> None:
    """Which builds fit a machine that is not here, and why nothing newer does.

    Frameworks may carry versions: 'torch>=2.6,<2.8'. The first is the most important. Without any: torch. Packages that
    go with a framework (torchvision, keras, xformers, flash-attn, onnxruntime-gpu ...) are paired with it.
    The exit code is 0 if all fit, 1 if one does not.
    """
    demand = parse_demand(wish or ("torch",))
    if cpu or demand.cpu_only:
        described = replace(described, no_gpu="--cpu")
    matrix = load_matrix()
    machine = described.machine(matrix)
    found = (
        fit_as_of(machine, demand, day.date().isoformat(), matrix)
        if day is not None
        else fit_with_extras(machine, demand, matrix)
    )
    if is_range or installed:
        found = _with_range(found, demand, installed, matrix if found.as_of is None else as_of(matrix, found.as_of))
    show("matrix fit", found, form, 1 if verbose else 0)
    if form == "terminal":
        show_age(matrix.edition)
    raise click.exceptions.Exit(1 if found.refusals else 0)


def _with_range(found: Fit, demand: Demand, installed: str | None, matrix: Matrix) -> Fit:
    """The answer, and from the oldest to the newest of each framework. Raises click.BadParameter."""
    version = (installed or "").rpartition("=")[2] or None
    if version is not None and package_version(version) is None:
        raise click.BadParameter(f"{installed!r} is no version; write 2.2.0 or 2.2.0+cpu.", param_hint="--installed")
    spans = (fit_range(found.machine, one, matrix, version) for one in demand.wanted)
    return replace(found, spans=tuple(span for span in spans if span is not None))
