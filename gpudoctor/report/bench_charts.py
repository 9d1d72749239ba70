"""Chooses the plots of a benchmark: title, what to see in it, the plot."""

from collections.abc import Iterator

from gpudoctor.facts.base import Fact
from gpudoctor.facts.bench import CPU, Gemm, Sample, Timing, TrainingStep
from gpudoctor.facts.bench_report import Achieved, BenchReport, Speedup
from gpudoctor.report.bench_svg import Bar, Line, Mark, Point, bar_plot, legend, line_plot

STRIP = 150


class Chart(Fact, frozen=True, kw_only=True):
    """A plot with its heading. `figure` is HTML."""

    title: str
    note: str
    figure: str


def charts(report: BenchReport) -> Iterator[Chart]:
    """The plots that there is something to show in."""
    for made in (_products, _speedups, _throughput, _shares, _parts, _clocks, _estimates):
        yield from made(report)


def _products(report: BenchReport) -> Iterator[Chart]:
    bench = report.bench
    kinds = [(CPU, False, "CPU", "cpu")]
    for gpu in bench.gpus[:1]:
        kinds += [
            (gpu.name, False, f"{gpu.name}, data there", "gpu"),
            (gpu.name, True, f"{gpu.name}, copies", "copies"),
        ]
    won = {(one.device, one.with_copies): one.size for one in report.conclusion.crossovers if one.outcome == "from"}
    exact = [one for one in bench.gemms if one.precision == "float32"]
    lines, marks = [], []
    for device, copied, name, style in kinds:
        points = tuple(
            _timed(one.n, one.time, _says(one)) for one in exact if (one.device, one.with_copies) == (device, copied)
        )
        size = won.get((device, copied))
        if points:
            lines.append(Line(name=f"{name}: quicker from {size} on" if size else name, style=style, points=points))
            marks += [Mark(x=size, style=style)] if size else []
    if any(len(line.points) > 1 for line in lines):
        note = "Lower is quicker. A dashed upright marks the size from which the GPU always won." if marks else ""
        yield Chart(
            title="Product of n by n matrices, float32",
            note=note or "Lower is quicker.",
            figure=legend(lines) + line_plot(lines, x_name="n", y_name="milliseconds", marks=marks),
        )


def _speedups(report: BenchReport) -> Iterator[Chart]:
    lines = []
    for network, size, precision in sorted(
        {(one.network, one.input_size, one.precision) for one in report.conclusion.speedups}
    ):
        found = [
            one
            for one in report.conclusion.speedups
            if (one.network, one.input_size, one.precision) == (network, size, precision)
        ]
        exact = precision == "float32"
        if size == 28:
            name = network if exact else f"{network}, {precision}"
            lines.append(Line(name=name, style=network, points=tuple(map(_gained, found)), dashed=not exact))
    if lines:
        yield Chart(
            title="How many times as quick as the CPU, by batch size",
            note="Training steps on 28x28 inputs. Below the line at 1 the CPU is quicker.",
            figure=legend(lines) + line_plot(lines, x_name="batch", y_name="times as quick", level=1.0),
        )


def _gained(one: Speedup) -> Point:
    says = f"{one.network}, batch {one.batch}: {one.ratio:.2f}x ({one.low:.2f} to {one.high:.2f})"
    return Point(x=one.batch, y=one.ratio, low=one.low, high=one.high, noisy=one.noisy, says=says)


def _throughput(report: BenchReport) -> Iterator[Chart]:
    """Without a GPU there is nothing to compare with."""
    if report.conclusion.speedups:
        return
    small = [one for one in report.bench.steps if one.input_size == 28]
    lines = [
        Line(name=network, style=network, points=tuple(_examples(one) for one in small if one.network == network))
        for network in sorted({one.network for one in small})
    ]
    if lines:
        yield Chart(
            title="Training on the CPU, by batch size",
            note="Examples of 28x28 a second, whole training steps.",
            figure=legend(lines) + line_plot(lines, x_name="batch", y_name="examples a second"),
        )


def _examples(one: TrainingStep) -> Point:
    return Point(
        x=one.batch,
        y=one.rate,
        low=one.batch / one.time.p80,
        high=one.batch / one.time.p20,
        noisy=one.time.noisy,
        says=f"{one.network}, batch {one.batch}: {one.rate:,.0f} examples a second",
    )


def _shares(report: BenchReport) -> Iterator[Chart]:
    bars = tuple(_share(one) for one in report.conclusion.achieved if one.of_peak is not None)
    if bars:
        yield Chart(
            title="Reached, of what is possible",
            note="Full length is the peak. The tick is what healthy GPUs of this model were measured to reach.",
            figure=bar_plot(bars, name="Share of the peak"),
        )


def _share(one: Achieved) -> Bar:
    scale, unit = (1e9, "GB/s") if one.unit == "B/s" else (1e12, "TFLOP/s")
    peak = one.peak or 0.0
    text = f"{one.rate / scale:,.1f} of {peak / scale:,.1f} {unit}, {one.of_peak:.0%}" + (
        " (noisy)" if one.noisy else ""
    )
    return Bar(
        name=f"{one.device} {one.what}",
        share=one.of_peak or 0.0,
        text=text,
        style="cpu" if one.device == CPU else "gpu",
        tick=one.reference / peak if one.reference and peak else None,
        faint=one.noisy or not one.telling,
    )


def _parts(report: BenchReport) -> Iterator[Chart]:
    """Where the time of a step goes."""
    found = [one for one in report.bench.steps if one.compute_seconds is not None and one.precision == "float32"]
    by_network = {
        (one.device, one.network): one
        for one in sorted(found, key=lambda one: (one.input_size != 28, -one.batch))[::-1]
    }
    steps = [one for one in by_network.values() if one.device != CPU] or list(by_network.values())
    bars = []
    most = max((one.time.median for one in steps), default=0.0)
    for one in sorted(steps, key=lambda one: one.network):
        for name, seconds, style in (
            ("compute", one.compute_seconds, "gpu"),
            ("copy to the device", one.transfer_seconds, "copies"),
            ("choose examples", one.input_seconds, "cpu"),
        ):
            if seconds is not None:
                title = f"{one.network} {name}" if name == "compute" else name
                text = f"{seconds * 1e3:.3g} ms" + (" (noisy)" if one.time.noisy else "")
                bars.append(Bar(name=title, share=seconds, text=text, style=style, faint=one.time.noisy))
                most = max(most, seconds)
    if bars:
        yield Chart(
            title="Where the time of a training step goes",
            note="The parts are timed one by one; in the whole step they overlap.",
            figure=bar_plot(bars, name="Parts of a step", most=most),
        )


def _clocks(report: BenchReport) -> Iterator[Chart]:
    samples = report.bench.samples
    strips = (
        ("clock_sm_mhz", "SM clock, MHz", "gpu"),
        ("temperature_c", "temperature, C", "copies"),
        ("power_w", "power, W", "transformer"),
    )
    device = _busiest(samples)
    figures = []
    for field, name, style in strips:
        points = tuple(
            Point(x=one.at, y=float(value))
            for one in samples
            if one.device == device and (value := getattr(one, field)) is not None
        )
        if len(points) > 1:
            line = Line(name=name, style=style, points=points)
            figures.append(line_plot([line], x_name="seconds", y_name=name, log=False, height=STRIP))
    if figures:
        yield Chart(
            title=f"The GPU while it was measured ({device})",
            note="A clock that falls while the temperature or the power stays at its limit is held down.",
            figure="".join(figures),
        )


def _busiest(samples: tuple[Sample, ...]) -> str | None:
    """The GPU that worked most; the others were not measured."""
    load: dict[str, int] = {}
    for one in samples:
        load[one.device] = load.get(one.device, 0) + (one.utilization_percent or 0)
    return max(load, key=lambda device: load[device], default=None)


def _estimates(report: BenchReport) -> Iterator[Chart]:
    known = [one for one in report.conclusion.estimates if one.least]
    bars = [
        Bar(
            name=one.product.removeprefix("NVIDIA "),
            share=one.least or 0.0,
            text=f"about {one.least:,.0f} times",
            faint=True,
        )
        for one in known
    ]
    if bars:
        yield Chart(
            title="Estimated, not measured: times as quick as this CPU",
            note="From published peaks of these GPUs and the measured rates of this CPU, for training that keeps a GPU "
            "busy: the lower of memory and arithmetic, at 75 % of the peaks. Small networks gain much less, or lose.",
            figure=bar_plot(bars, name="Estimates", most=max(bar.share for bar in bars)),
        )


def _timed(size: int, time: Timing, says: str) -> Point:
    return Point(x=size, y=time.median * 1e3, low=time.p20 * 1e3, high=time.p80 * 1e3, noisy=time.noisy, says=says)


def _says(one: Gemm) -> str:
    return f"n = {one.n}: {one.time.median * 1e3:.3g} ms, {one.rate / 1e9:,.1f} GFLOP/s, {one.time.repeats} repeats"
