"""`gpudoctor matrix fit`: which builds fit a machine that is not here."""

from datetime import datetime

import click
from msgspec.structs import replace

from gpudoctor.cli.machine_options_parse import described_machine
from gpudoctor.cli.option_values import format_option
from gpudoctor.cli.show import show, show_age
from gpudoctor.errors import CannotExamine
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.as_of import as_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import MatrixUnreadable
from gpudoctor.plan.answer import Fit
from gpudoctor.plan.demand import Demand, NotADemand, parse_demand
from gpudoctor.plan.fit_as_of import fit_as_of
from gpudoctor.plan.fit_range import fit_range
from gpudoctor.plan.pairing import fit_with_extras


@click.command("fit")
@click.option("--driver", metavar="RELEASE", help="The NVIDIA driver: 535, 535.54, 580.65.06.")
@click.option("--gpu", "gpus", multiple=True, metavar="NAME", help="A GPU: 'RTX 4090', a PCI id, or 8.9; repeatable.")
@click.option("--python", metavar="VERSION", help="Python: 3.12.")
@click.option(
    "--os",
    "system",
    type=click.Choice(["linux", "windows", "macos"]),
    default="linux",
    show_default=True,
    help="The operating system.",
)
@click.option("--arch", metavar="ARCH", help="x86_64 or aarch64.  [default: x86_64; arm64 for macos]")
@click.option("--glibc", metavar="VERSION", help="The C library of a Linux system, 2.35; or musl.")
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
    driver: str | None,
    gpus: tuple[str, ...],
    python: str | None,
    system: str,
    arch: str | None,
    glibc: str | None,
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
    demand = _wish(wish or ("torch",))
    cpu = cpu or demand.cpu_only
    _contradictions(driver, gpus, system, glibc, cpu=cpu)
    matrix = load_matrix()
    try:
        machine = described_machine(
            matrix,
            gpus=gpus,
            driver=driver,
            python=python,
            system=system,
            arch=arch,
            glibc=glibc,
            cpu_only=cpu,
        )
        found = (
            fit_as_of(machine, demand, day.date().isoformat(), matrix)
            if day is not None
            else fit_with_extras(machine, demand, matrix)
        )
        if is_range or installed:
            found = _with_range(found, demand, installed, matrix if found.as_of is None else as_of(matrix, found.as_of))
    except MatrixUnreadable as error:
        raise CannotExamine(str(error)) from None
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


def _contradictions(driver: str | None, gpus: tuple[str, ...], system: str, glibc: str | None, *, cpu: bool) -> None:
    """Options that cannot be true together."""
    given = " and ".join(name for name, value in (("--gpu", gpus), ("--driver", driver)) if value)
    if cpu and given:
        raise click.UsageError(f"--cpu asks for builds without a GPU, and {given} for builds with one. Leave one out.")
    if system == "macos" and given:
        raise click.UsageError(
            f"--os macos contradicts {given}: macOS has no driver for NVIDIA GPUs. Leave {given} out for builds that "
            "use Apple's GPU or the CPU."
        )
    if system != "linux" and glibc:
        raise click.UsageError(f"--glibc is of Linux, and --os is {system}.")


def _wish(texts: tuple[str, ...]) -> Demand:
    """What is asked for. Raises click.UsageError."""
    try:
        return parse_demand(texts)
    except NotADemand as error:
        raise click.UsageError(str(error)) from None
