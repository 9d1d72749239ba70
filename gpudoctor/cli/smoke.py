"""The command `gpudoctor smoke`: trains a small network with each framework."""

import re
from typing import TYPE_CHECKING

import click

from gpudoctor.cli.option_values import format_option

if TYPE_CHECKING:
    from gpudoctor.facts.snapshot import Snapshot


@click.command("smoke")
@click.argument("frameworks", nargs=-1, metavar="[tensorflow|torch|keras|jax]...")
@click.option(
    "--device", "devices", multiple=True, metavar="D", help="cpu, gpu:0, gpu:1 … or all; repeatable.  [default: all]"
)
@click.option("--timeout", type=float, metavar="S", help="Seconds for each framework.  [default: 180]")
@click.option(
    "--data",
    type=click.Choice(["generated", "fashion-mnist"]),
    default="generated",
    show_default=True,
    help="What to train on; fashion-mnist is downloaded by the framework.",
)
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to examine.")
@click.option("--quick", is_flag=True, help="Only what `gpudoctor check` trains.")
@format_option("smoke")
@click.option("-v", "--verbose", is_flag=True, help="Every training, and the lines of the log that matter.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(
    frameworks: tuple[str, ...],
    devices: tuple[str, ...],
    timeout: float | None,
    data: str,
    python: str | None,
    quick: bool,
    form: str,
    verbose: bool,
    quiet: bool,
) -> None:
    """Train small networks with each framework, on each device, and say whether they learn.

    The exit code is 0 where everything that was tried passed, and 1 where something failed.
    """
    from gpudoctor.cli.option_values import seconds_of
    from gpudoctor.examine.look import begin_to_examine, run_frameworks

    names, deadline = _known(frameworks), seconds_of(timeout)
    wanted = _devices(devices)
    snapshot = begin_to_examine(python)()
    _refuse_impossible(snapshot, names, wanted)
    snapshot, complete = run_frameworks(
        snapshot,
        tasks=("smoke",),
        only=names or None,
        devices=wanted,
        data=data,
        quick=quick,
        deadline=deadline,
        quiet=quiet,
    )
    from gpudoctor.cli.show import show
    from gpudoctor.errors import Partial
    from gpudoctor.examine.judging import criteria_of, judge
    from gpudoctor.report.live import live_of

    report = judge(snapshot, criteria_of((), (), (), None))
    show("smoke", report, form, 1 if verbose else 0)
    if not complete:
        raise Partial
    raise click.exceptions.Exit(0 if all(run.proved for run in live_of(report).smoke) else 1)


def _known(names: tuple[str, ...]) -> tuple[str, ...]:
    from gpudoctor.knowledge.frameworks import name_of, that_run

    chosen = tuple(dict.fromkeys(map(name_of, names)))
    for name in chosen:
        if name not in that_run("smoke"):
            known = ", ".join(sorted(that_run("smoke")))
            raise click.BadParameter(
                f"{name!r} is none of the frameworks that can be run: {known}.", param_hint="FRAMEWORKS"
            )
    return chosen


def _devices(given: tuple[str, ...]) -> tuple[str, ...] | None:
    """The devices asked for; None is all of them."""
    words = [word.strip().lower() for value in given for word in value.split(",")]
    for word in words:
        if not re.fullmatch(r"all|cpu|gpu:\d{1,3}", word):
            raise click.BadParameter(f"{word!r} is no device: write cpu, gpu:0, gpu:1 … or all.", param_hint="--device")
    return None if not words or "all" in words else tuple(dict.fromkeys(words))


def _refuse_impossible(snapshot: "Snapshot", names: tuple[str, ...], devices: tuple[str, ...] | None) -> None:
    """Say at once what cannot be run here. Raises Misused, CannotExamine."""
    from gpudoctor.cli.preflight import gpu_count, refuse_missing
    from gpudoctor.probes.live.plan import installed

    refuse_missing(snapshot, names, installed(snapshot.frameworks), "TensorFlow, PyTorch, Keras and JAX")
    count = gpu_count(snapshot)
    if count is None:
        return
    for device in devices or ():
        if device != "cpu" and int(device.partition(":")[2]) >= count:
            have = (
                f"the GPUs are gpu:0 to gpu:{count - 1}"
                if count > 1
                else "the only GPU is gpu:0"
                if count
                else "there is no GPU here; --device cpu trains on the processor"
            )
            raise click.BadParameter(f"there is no {device}: {have}.", param_hint="--device")
