"""Renders a benchmark for a terminal: conclusions first, then numbers."""

from collections.abc import Iterator

import click

from gpudoctor.facts.bench import CPU, Bench, Timing, TrainingStep
from gpudoctor.facts.bench_report import BenchReport, Estimate, Speedup
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.fix import Ask
from gpudoctor.report.terminal import Style, wrapped

#: Written after what is too noisy to conclude anything from.
NOISY = " ~"


def render_bench_text(report: BenchReport, style: Style) -> str:
    """The report as text with ANSI colours; the caller strips them where colour is not wanted."""
    return "\n".join(_lines(report, style)) + "\n"


def _lines(report: BenchReport, style: Style) -> Iterator[str]:
    bench = report.bench
    yield click.style(_heading(report), bold=True)
    yield ""
    for sentence in report.conclusion.sentences:
        yield from wrapped(sentence, style)
    for finding in report.findings:
        yield ""
        because = f" (because of {', '.join(finding.because_of)})" if finding.because_of else ""
        yield click.style(f"{finding.severity} {finding.code} {finding.name}{because}", fg="yellow", bold=True)
        yield from wrapped(finding.summary, style, indent="  ")
        for seen in finding.evidence:
            yield from wrapped(f"{seen.fact}: {seen.value}", style, indent="    ")
        for advice in advice_of(finding):
            yield from wrapped(f"Fix: {advice}", style, indent="  ", hang="    ")
    yield from _training(report)
    yield from _products(bench)
    yield from _transfers(bench)
    yield from _estimates(report.conclusion.estimates)
    yield ""
    if report.conclusion.noisy:
        yield "~ too noisy to draw conclusions from"
    for note in bench.notes:
        yield from wrapped(f"- {note}", style, indent="", hang="  ")


def _heading(report: BenchReport) -> str:
    bench = report.bench
    measured = f"{bench.seconds:.0f} s of measuring" if bench.seconds else "Stopped"
    imported = f" after {bench.import_seconds:.0f} s of import" if bench.import_seconds else ""
    against = " and ".join(gpu.product or gpu.name for gpu in bench.gpus) or "no GPU"
    processor = report.processor or "CPU"
    threads = f"{processor}, {bench.cpu_threads} threads" if bench.cpu_threads else processor
    return f"{bench.framework} {bench.version or ''}: {threads}; {against}. {measured}{imported}."


def _training(report: BenchReport) -> Iterator[str]:
    bench, pairs = report.bench, report.conclusion.speedups
    if not bench.steps:
        return
    yield ""
    yield "A training step, milliseconds (median, 20th to 80th percentile)"
    for step in sorted(bench.steps, key=lambda one: (one.network, one.input_size, one.batch, one.device)):
        what = f"  {step.network} {step.input_size}x{step.input_size} batch {step.batch}"
        precision = "" if step.precision == "float32" else f" {step.precision}"
        yield f"{what:<34}{step.device + precision:<22}{_timing(step.time)}{_gain(step, pairs)}"


def _gain(step: TrainingStep, pairs: tuple[Speedup, ...]) -> str:
    same = ("network", "device", "batch", "input_size", "precision")
    one = next((pair for pair in pairs if all(getattr(pair, name) == getattr(step, name) for name in same)), None)
    return f"  {one.ratio:.1f}x{NOISY if one.noisy else ''}" if one else ""


def _products(bench: Bench) -> Iterator[str]:
    columns = sorted({(one.device != CPU, one.device, one.precision, one.with_copies) for one in bench.gemms})
    if not columns:
        return
    found = {(one.n, one.device, one.precision, one.with_copies): one for one in bench.gemms}
    names = [f"{device} {precision}{' +copies' if copied else ''}" for _, device, precision, copied in columns]
    yield ""
    yield "Products of n by n matrices, GFLOP/s"
    yield "  " + "n".rjust(6) + "".join(name.rjust(max(16, len(name) + 2)) for name in names)
    for n in sorted({one.n for one in bench.gemms}):
        cells = ""
        for (_, device, precision, copied), name in zip(columns, names, strict=True):
            one = found.get((n, device, precision, copied))
            text = "-" if one is None else f"{one.rate / 1e9:,.1f}{NOISY if one.time.noisy else ''}"
            cells += text.rjust(max(16, len(name) + 2))
        yield "  " + str(n).rjust(6) + cells


def _transfers(bench: Bench) -> Iterator[str]:
    if not bench.transfers:
        return
    yield ""
    yield "Memory and copies, GB/s"
    for one in sorted(bench.transfers, key=lambda one: (one.direction, one.device, str(one.pinned), one.size)):
        named = {
            "host": "the CPU's memory",
            "device": f"the memory of {one.device}",
            "all-reduce": f"the links, in a sum over {one.gpus} GPUs",
        }
        kind = {True: ", pinned", False: ", pageable"}.get(one.pinned, "") if one.pinned is not None else ""
        what = named.get(one.direction, f"{one.direction} {one.device}{kind}")
        yield f"  {what:<36}{size_in_words(one.size):>8}{one.rate / 1e9:>12,.1f}{NOISY if one.time.noisy else ''}"


def _estimates(estimates: tuple[Estimate, ...]) -> Iterator[str]:
    if not estimates:
        return
    yield ""
    yield "ESTIMATED, not measured: speed relative to this CPU when the GPU is kept busy"
    yield "  " + "".ljust(28) + "arithmetic".rjust(12) + "memory".rjust(12)
    for one in estimates:
        yield f"  {one.product:<28}{_times(one.compute):>12}{_times(one.memory):>12}"


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}x"


def _timing(time: Timing) -> str:
    text = f"{time.median * 1e3:,.3g} ({time.p20 * 1e3:,.3g} to {time.p80 * 1e3:,.3g})"
    return text + (NOISY if time.noisy else "")


def advice_of(finding: Finding) -> tuple[str, ...]:
    """What to do about a finding on a measurement; none for one that follows from another."""
    if finding.because_of:
        return ()
    return tuple(step.text for fix in finding.fixes for step in fix.steps if isinstance(step, Ask))


def size_in_words(size: int) -> str:
    """4 KiB, 64 MiB."""
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
