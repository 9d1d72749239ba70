"""The command `gpudoctor advise`: whether a training job needs a GPU, and which."""

import math
from typing import TYPE_CHECKING

import click

from gpudoctor.cli.option_values import format_option

if TYPE_CHECKING:
    from gpudoctor.advise.prices import Prices
    from gpudoctor.facts.advice import Job, Precision, Task
    from gpudoctor.facts.bench import Bench
    from gpudoctor.facts.snapshot import Snapshot
    from gpudoctor.knowledge.matrix.query import Matrix

_COUNT = click.IntRange(min=1, max=10**15)


@click.command("advise")
@click.argument("job", required=False)
@click.option("--list", "list_jobs", is_flag=True, help="Show the jobs that are known by name.")
@click.option("--parameters", metavar="N", help="A network known by numbers: its parameters, as 7e9, 350M or 7B.")
@click.option(
    "--task",
    type=click.Choice(["train", "lora", "run"]),
    default="train",
    show_default=True,
    help="With --parameters alone: a language model that is trained in full, tuned by LoRA, or only run.",
)
@click.option("--gflop", type=float, metavar="N", help="10^9 operations of one forward pass of one sample.")
@click.option("--sample-kib", type=float, default=600.0, show_default=True, metavar="N", help="Size of a sample.")
@click.option("--samples", type=_COUNT, help="Samples in the data set.")
@click.option("--epochs", type=_COUNT, help="How often all of them are seen.")
@click.option("--batch", type=_COUNT, help="Samples in a batch.")
@click.option("--precision", type=click.Choice(["float32", "mixed"]), help="[default: mixed where the GPU has it]")
@click.option("--gpu", "gpus", multiple=True, metavar="NAME", help="Also this GPU; repeatable.")
@click.option("--from", "snapshot_file", metavar="FILE", help="Another machine, from `gpudoctor snapshot`.")
@click.option("--bench", "bench_file", metavar="FILE", help="What `gpudoctor bench --json FILE` measured on it.")
@click.option("--prices", "price_file", metavar="FILE", help="Prices of an hour, with their date (JSON).")
@format_option("advise")
def command(
    job: str | None, list_jobs: bool, parameters: str | None, task: "Task", gflop: float | None, sample_kib: float,
    samples: int | None, epochs: int | None, batch: int | None, precision: "Precision | None", gpus: tuple[str, ...],
    snapshot_file: str | None, bench_file: str | None, price_file: str | None, form: str,
) -> None:  # fmt: skip
    """Say whether a job needs a GPU, which one would do, and what to do without.

    \b
    gpudoctor advise resnet-50 --samples 20000 --epochs 30
    gpudoctor advise --parameters 7B --task lora

    Nothing is measured; `gpudoctor bench --json FILE` and --bench FILE make the numbers of this processor better.
    """  # noqa: D301 - click reads the character
    from gpudoctor.knowledge.matrix.load import load_matrix

    matrix = load_matrix()
    if list_jobs:
        return _list(matrix)
    from gpudoctor.advise.jobs import changed

    wanted = _job(job, parameters, task, gflop, sample_kib, matrix)
    wanted = changed(wanted, samples=samples, epochs=epochs, batch=batch, precision=precision)
    _refuse_unknown(gpus, matrix)
    from gpudoctor.advise.advice import advise
    from gpudoctor.cli.show import show
    from gpudoctor.examine.matlab import look_for_matlabs

    prices = _prices(price_file)
    snapshot, bench = _machine(snapshot_file), _bench(bench_file)
    installed = look_for_matlabs().found if snapshot_file is None else ()
    report = advise(wanted, snapshot, bench, matrix, gpus, prices, installed)
    show("advise", report, form)
    return None


def _list(matrix: "Matrix") -> None:
    from gpudoctor.advise.jobs import networks

    known = networks(matrix)
    width = max(len(one.name) for one in known)
    for one in known:
        click.echo(f"{one.name:{width}}  {one.title}; {one.samples:,} {one.sample}s x {one.epochs}")
    click.echo("A language model: --parameters 7B, with --task train, lora or run.")


def _job(
    name: str | None, parameters: str | None, task: "Task", gflop: float | None, sample_kib: float, matrix: "Matrix"
) -> "Job":
    from gpudoctor.advise.jobs import language_model, networks, own, preset

    if (name is None) == (parameters is None):
        raise click.UsageError("Name a job (see --list), or describe one with --parameters.")
    if name is not None:
        found = next((one for one in networks(matrix) if one.name == name.lower()), None)
        if found is None:
            known = ", ".join(one.name for one in networks(matrix))
            raise click.BadParameter(f"{name!r} is not a known job. Known: {known}.", param_hint="JOB")
        return preset(found)
    number = _number(parameters or "")
    if gflop is None:
        return language_model(number, task)
    if not 0 < gflop < 1e9 or not 0 < sample_kib < 1e9 or math.isnan(gflop + sample_kib):
        raise click.BadParameter("give numbers above 0 and below 10^9.", param_hint="--gflop, --sample-kib")
    return own(number, gflop * 1e9, sample_kib * 1024)


def _number(text: str) -> float:
    """7e9, 350M, 7B. Raises click.BadParameter."""
    size = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}.get(text[-1:].upper(), 1.0)
    try:
        number = float(text if size == 1.0 else text[:-1]) * size
    except ValueError:
        number = math.nan
    if not 1 <= number <= 1e14:
        raise click.BadParameter(
            f"{text!r} is no number of parameters between 1 and 10^14; write 7B, 350M or 7e9.",
            param_hint="--parameters",
        )
    return number


def _refuse_unknown(gpus: tuple[str, ...], matrix: "Matrix") -> None:
    from gpudoctor.knowledge.matrix.peaks import peaks

    for name in gpus:
        if peaks(matrix, name) is None:
            raise click.BadParameter(
                f"{name!r} is not in the table of GPUs with known peaks; `gpudoctor matrix gpu` lists them.",
                param_hint="--gpu",
            )


def _machine(file: str | None) -> "Snapshot":
    from gpudoctor.examine.look import begin_to_examine, stated_in

    return begin_to_examine(None)() if file is None else stated_in(file)


def _bench(file: str | None) -> "Bench | None":
    if file is None:
        return None
    from gpudoctor.facts.bench_report import BenchReport
    from gpudoctor.facts.codec import decode

    try:
        report = decode(_raw(file, "--bench"), BenchReport)
    except ValueError as error:  # msgspec's errors among them
        raise click.BadParameter(
            f"{file} is not what `gpudoctor bench --json` writes: {error}", param_hint="--bench"
        ) from None
    return report.bench


def _prices(file: str | None) -> "Prices | None":
    if file is None:
        return None
    from gpudoctor.advise.prices import parse_prices

    try:
        return parse_prices(_raw(file, "--prices"))
    except ValueError as error:
        raise click.BadParameter(f"{file}: {error}", param_hint="--prices") from None


def _raw(file: str, option: str) -> bytes:
    from gpudoctor.examine.tickets import Unreadable, read_input

    try:
        return read_input(file).raw
    except Unreadable as error:
        raise click.BadParameter(f"{file}: {error}.", param_hint=option) from None
