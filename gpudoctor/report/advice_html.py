"""Renders advice as one HTML page: a chart of devices, a table, what to do. No script, no network."""

from collections.abc import Iterator
from html import escape

from gpudoctor.facts.advice import AdviceReport, Estimate, total_seconds
from gpudoctor.facts.durations import spoken
from gpudoctor.report.advice_text import costs_in_words, heading, memory_in_words, rate_in_words, short_name
from gpudoctor.report.bench_svg import Bar, bar_plot
from gpudoctor.report.matlab_here import in_a_line
from gpudoctor.report.page_files import still_page

_HEADER = ("Device", "In all", "Range", "Memory, GiB", "Precision", "A second", "Limited by", "Rests on", "Builds")


def render_advice_html(report: AdviceReport) -> str:
    """The page."""
    return still_page(report.job.title, "bench.css", _body(report))


def _body(report: AdviceReport) -> Iterator[str]:
    yield f"<h1>{escape(report.answer)}</h1>"
    yield f'<p class="sub">{escape(heading(report.job))}</p>'
    known = [one for one in report.estimates if one.rate]
    if known:
        yield '<div class="charts"><section class="chart"><h2>How quick each device is</h2>'
        yield '<p class="note">Against the quickest, with the time for the whole job.</p>'
        most = max(one.rate.middle for one in known if one.rate)
        yield (
            bar_plot([_bar(report, one) for one in known], name="how quick each device is", most=most)
            + "</section></div>"
        )
    if report.options:
        yield '<h2>What to do, cheapest first</h2><ol class="verdict">'
        for option in report.options:
            title = f"{option.title} ({costs_in_words(option.costs)})"
            yield f"<li><b>{escape(title)}</b>. {escape(option.why)}</li>"
        yield "</ol>"
    yield '<h2>Every device</h2><div class="scroll"><table><thead><tr>'
    header = (*_HEADER, *((f"Price, {report.currency} ({report.prices_of})",) if report.prices_of else ()))
    yield "".join(f"<th>{escape(name)}</th>" for name in header) + "</tr></thead><tbody>"
    for one in report.estimates:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(report, one)) + "</tr>"
    yield "</tbody></table></div>"
    said = (*map(in_a_line, report.matlab), *report.basis)
    yield from (f'<p class="note">{escape(sentence)}</p>' for sentence in said)


def _bar(report: AdviceReport, one: Estimate) -> Bar:
    assert one.rate is not None
    seconds = total_seconds(report.job, one.rate)
    text = f"{spoken(seconds.middle)} ({spoken(seconds.low)} to {spoken(seconds.high)})"
    style = "cpu" if one.kind == "cpu" else "gpu"
    return Bar(name=_name(one), share=one.rate.middle, text=text, style=style, faint=one.fits is False)


def _name(one: Estimate) -> str:
    return f"{short_name(one.device)}{' (here)' if one.here else ''}"


def _cells(report: AdviceReport, one: Estimate) -> Iterator[str]:
    seconds = total_seconds(report.job, one.rate) if one.rate else None
    yield _name(one)
    yield spoken(seconds.middle) if seconds else "not known"
    yield f"{spoken(seconds.low)} to {spoken(seconds.high)}" if seconds else one.missing
    yield memory_in_words(one)
    yield one.precision
    yield rate_in_words(one.rate.middle) if one.rate else "not known"
    yield one.bound or ""
    yield one.basis if one.rate else ""
    yield "; ".join([*one.builds, *([one.note] if one.note else [])])
    if report.prices_of:
        yield f"{one.price:,.2f}" if one.price is not None else ""
