"""Renders a benchmark as one HTML page: no script, no network, light and dark."""

from collections.abc import Iterator
from html import escape

from gpudoctor.facts.bench import Timing
from gpudoctor.facts.bench_report import BenchReport
from gpudoctor.report.bench_charts import charts
from gpudoctor.report.bench_text import advice_of, size_in_words
from gpudoctor.report.page_files import still_page


def render_bench_html(report: BenchReport) -> str:
    """The page."""
    return still_page(_title(report), "bench.css", _body(report))


def _title(report: BenchReport) -> str:
    gpus = ", ".join(gpu.product or gpu.name for gpu in report.bench.gpus)
    if gpus:
        return f"{gpus} against this CPU"
    return "This CPU, and what a GPU might gain" if report.conclusion.estimates else "This CPU, measured"


def _body(report: BenchReport) -> Iterator[str]:
    bench = report.bench
    parts = [f"{bench.framework} {bench.version or ''}".strip(), report.processor or "CPU"]
    parts += [f"{bench.cpu_threads} threads"] if bench.cpu_threads else []
    parts += [f"{bench.seconds:.0f} of {bench.seconds_asked:.0f} s of measuring", report.taken_at]
    yield f"<h1>{escape(_title(report))}</h1>"
    yield f'<p class="sub">{escape(" · ".join(parts))}</p>'
    yield '<ul class="verdict">'
    yield from (f"<li>{escape(sentence)}</li>" for sentence in report.conclusion.sentences)
    yield "</ul>"
    for finding in report.findings:
        evidence = "".join(f"<p>{escape(seen.fact)}: {escape(seen.value)}</p>" for seen in finding.evidence)
        evidence += "".join(f"<p>Fix: {escape(advice)}</p>" for advice in advice_of(finding))
        because = f" (because of {', '.join(finding.because_of)})" if finding.because_of else ""
        heading = escape(f"{finding.severity} {finding.code} {finding.name}{because}")
        yield f'<section class="finding"><h2>{heading}</h2><p>{escape(finding.summary)}</p>{evidence}</section>'
    yield '<div class="charts">'
    for chart in charts(report):
        heading = f'<h2>{escape(chart.title)}</h2><p class="note">{escape(chart.note)}</p>'
        yield f'<section class="chart">{heading}{chart.figure}</section>'
    yield "</div>"
    yield from _numbers(report)
    yield from (f'<p class="note">{escape(note)}</p>' for note in bench.notes)
    yield (
        f"<footer>gpudoctor {escape(report.doctor)}. Medians with the 20th and 80th percentiles; hollow points are too "
        "noisy to draw conclusions from.</footer>"
    )


def _numbers(report: BenchReport) -> Iterator[str]:
    bench = report.bench
    rows = [
        (f"{one.network} {one.input_size}x{one.input_size} batch {one.batch} {one.precision}", one.device, one.time)
        for one in bench.steps
    ]
    rows += [
        (f"product {one.n} {one.precision}{' with copies' if one.with_copies else ''}", one.device, one.time)
        for one in bench.gemms
    ]
    pinned = {True: " pinned", False: " pageable", None: ""}
    rows += [
        (f"{one.direction} {size_in_words(one.size)}{pinned[one.pinned]}", one.device, one.time)
        for one in bench.transfers
    ]
    if not rows:
        return
    yield "<details><summary>All numbers</summary><div class=scroll><table><tr><th>what<th>device<th>median, ms<th>20th"
    yield "<th>80th<th>repeats<th></tr>"
    yield from (_row(*row) for row in rows)
    yield "</table></div></details>"


def _row(what: str, device: str, time: Timing) -> str:
    cells = (f"{value * 1e3:,.4g}" for value in (time.median, time.p20, time.p80))
    numbers = "".join(f'<td class="number">{cell}</td>' for cell in (*cells, str(time.repeats)))
    noisy = "noisy" if time.noisy else ""
    return f"<tr><td>{escape(what)}</td><td>{escape(device)}</td>{numbers}<td>{noisy}</td></tr>"
