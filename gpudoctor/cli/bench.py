"""The command `gpudoctor bench`: measures frameworks on CPU and GPU."""

import math
import re
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple

import click

from gpudoctor.cli.option_values import format_option

if TYPE_CHECKING:
    from gpudoctor.facts.bench import Bench
    from gpudoctor.facts.bench_report import BenchReport
    from gpudoctor.facts.live import AgentRun
    from gpudoctor.facts.snapshot import Snapshot


class Memory(NamedTuple):
    """How the CPU's memory is built."""

    megatransfers: int
    channels: int


@click.command("bench")
@click.option(
    "--seconds",
    type=click.FloatRange(min=1, max=3600),
    default=30,
    show_default=True,
    help="Time for measuring; the framework's import comes on top.",
)
@click.option("--framework", metavar="NAME", help="torch, tensorflow or jax.  [default: the first that is installed]")
@click.option("--device", metavar="D", help="cpu, or GPUs to compare it with: gpu:1; gpu:0,gpu:1.  [default: gpu:0]")
@click.option("--python", metavar="PATH", help="The interpreter (or its environment's folder) to measure with.")
@click.option("--html", metavar="FILE", help="Also write a page with plots: one file, no network.")
@click.option("--json", "json_file", metavar="FILE", help="Also write everything as JSON.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@format_option("bench")
@click.option("--host-memory", metavar="MT/SxCHANNELS", help="How the CPU's memory is built, for its peak: 2933x4.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(
    seconds: float,
    framework: str | None,
    device: str | None,
    python: str | None,
    html: str | None,
    json_file: str | None,
    force: bool,
    form: str,
    host_memory: str | None,
    quiet: bool,
) -> None:
    """Measure how much a GPU speeds up training, and whether it does what it should.

    The exit code is 0 where it was measured, 1 where something is wrong, 3 where it could not be measured.
    """
    if math.isnan(seconds):  # which the range lets pass
        raise click.BadParameter("give a number of seconds.", param_hint="--seconds")
    chosen, devices, memory = _framework(framework), _devices(device), _memory(host_memory)
    from gpudoctor.cli.files import refuse_unwritable

    for path in filter(None, (html, json_file)):
        refuse_unwritable(path, force=force)
    from gpudoctor.examine.look import begin_to_examine

    snapshot = begin_to_examine(python)()
    name = _installed(snapshot, chosen)
    _refuse_absent_gpu(snapshot, devices)
    from gpudoctor.redact.credentials import fact_without_credentials

    bench, run = _measure(snapshot, name, seconds, devices, quiet=quiet)
    bench, run = fact_without_credentials(bench), fact_without_credentials(run)
    report = _report(snapshot, bench, run, memory, may_use_gpu=devices != ("cpu",))
    if not report.conclusion.timings:
        # Nothing is worth writing, and least of all over what was measured before.
        html = json_file = None
    if html is not None:
        from gpudoctor.cli.files import write_whole
        from gpudoctor.language.chosen import page
        from gpudoctor.report.bench_html import render_bench_html

        write_whole(html, page(render_bench_html(report)).encode())
    if json_file is not None:
        from gpudoctor.cli.files import write_whole
        from gpudoctor.report.json import render_json

        write_whole(json_file, render_json(report))
    from gpudoctor.cli.show import show

    show("bench", report, form)
    for path in filter(None, (html, json_file)):
        click.echo(f"Wrote {path}.", err=True)
    _end(report)


def _framework(given: str | None) -> str | None:
    if given is None:
        return None
    from gpudoctor.knowledge.frameworks import computing, name_of, that_run

    if name_of(given) not in that_run("bench"):
        able = ", ".join(name for name in computing() if name in that_run("bench"))
        raise click.BadParameter(
            f"{given!r} is none of the frameworks that can be measured: {able}.", param_hint="--framework"
        )
    return name_of(given)


def _devices(given: str | None) -> tuple[str, ...] | None:
    if given is not None and not re.fullmatch(r"cpu|gpu:\d{1,3}(,gpu:\d{1,3})*", given.lower()):
        raise click.BadParameter(
            f"{given!r} is no device: write cpu, gpu:0, or several GPUs, gpu:0,gpu:1.", param_hint="--device"
        )
    return None if given is None else tuple(dict.fromkeys(given.lower().split(",")))


def _memory(given: str | None) -> Memory | None:
    match = re.fullmatch(r"(\d{3,5})\s*x\s*(\d{1,3})", given.strip().lower()) if given else None
    if given is not None and (match is None or int(match[2]) == 0):
        raise click.BadParameter(
            f"{given!r} is not of the form 2933x4: million transfers a second, and channels.",
            param_hint="--host-memory",
        )
    return Memory(int(match[1]), int(match[2])) if match else None


def _installed(snapshot: "Snapshot", chosen: str | None) -> str:
    """The framework to measure. Raises Misused, CannotExamine."""
    from gpudoctor.cli.preflight import refuse_missing
    from gpudoctor.facts.python import Frameworks
    from gpudoctor.knowledge.frameworks import computing, that_run

    frameworks = snapshot.frameworks if isinstance(snapshot.frameworks, Frameworks) else Frameworks()
    found = tuple(name for name in computing() if name in that_run("bench") and frameworks.get(name))
    refuse_missing(snapshot, (chosen,) if chosen else (), found, "PyTorch, TensorFlow and JAX")
    return chosen or found[0]


def _refuse_absent_gpu(snapshot: "Snapshot", devices: tuple[str, ...] | None) -> None:
    from gpudoctor.cli.preflight import gpu_count

    count = gpu_count(snapshot) if devices and devices != ("cpu",) else None
    absent = next((one for one in devices or () if count is not None and int(one.partition(":")[2]) >= count), None)
    if absent is not None:
        have = f"this machine has {count}" if count else "there is none; without --device the CPU is measured"
        raise click.BadParameter(f"there is no GPU {absent}: {have}.", param_hint="--device")


def _measure(
    snapshot: "Snapshot", name: str, seconds: float, devices: tuple[str, ...] | None, *, quiet: bool
) -> "tuple[Bench, AgentRun]":
    from gpudoctor.examine.progress import Progress
    from gpudoctor.facts.python import Interpreter
    from gpudoctor.host.real import RealHost
    from gpudoctor.probes.bench import Interrupted, measure

    assert isinstance(snapshot.interpreter, Interpreter)
    progress = Progress(quiet=quiet)
    try:
        with progress:
            return measure(
                RealHost(), snapshot.interpreter, name, seconds=seconds, devices=devices, on_event=progress.on_event
            )
    except Interrupted as stop:
        return stop.bench, stop.run


def _report(
    snapshot: "Snapshot", bench: "Bench", run: "AgentRun", memory: Memory | None, *, may_use_gpu: bool
) -> "BenchReport":
    from msgspec import structs

    from gpudoctor import __version__
    from gpudoctor.bench.verdict import conclude
    from gpudoctor.diagnosis.diagnose import diagnose
    from gpudoctor.facts.bench_report import BenchReport
    from gpudoctor.facts.gpus import Gpus
    from gpudoctor.facts.live import Live
    from gpudoctor.facts.system import System
    from gpudoctor.knowledge.matrix.load import load_matrix
    from gpudoctor.knowledge.matrix.rates import host_memory_rate
    from gpudoctor.rules.load import load_rules

    matrix = load_matrix()
    gpus = snapshot.gpus if isinstance(snapshot.gpus, Gpus) else None
    judged = structs.replace(snapshot, live=Live(bench=bench))
    rules = tuple(rule for rule in load_rules() if rule.code.startswith("PRF"))
    host = snapshot.host
    return BenchReport(
        doctor=__version__,
        taken_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        processor=host.cpu.model if isinstance(host, System) and host.cpu else None,
        bench=bench,
        run=run,
        conclusion=conclude(
            bench, gpus if may_use_gpu else None, matrix, host_memory_rate(*memory) if memory else None
        ),
        findings=diagnose(judged, matrix, rules).findings,
    )


def _end(report: "BenchReport") -> None:
    """Exit with the code of what happened. Raises Misused, CannotExamine and Exit."""
    from gpudoctor.errors import CannotExamine, Partial

    if report.run.ending == "interrupted":
        raise Partial
    if not report.conclusion.timings:
        error = report.run.error
        why = f": {error.type}: {error.text}" if error else f" ({report.run.reason or report.run.ending})"
        raise CannotExamine(f"{report.bench.framework} could not be measured{why}")
    wrong = any(finding.severity in ("error", "warning") for finding in report.findings)
    raise click.exceptions.Exit(1 if wrong else 0)
