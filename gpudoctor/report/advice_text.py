"""Renders advice for a terminal: the answer, a table of devices, what to do."""

from collections.abc import Iterator, Sequence

import click

from gpudoctor.facts.advice import AdviceReport, Estimate, Job, total_seconds
from gpudoctor.facts.durations import spoken
from gpudoctor.language import wrapping
from gpudoctor.report.commands import visible
from gpudoctor.report.matlab_here import in_a_line
from gpudoctor.report.terminal import Style

_HEADER = ("Device", "In all", "Range", "Memory, GiB", "Precision", "A second", "Limited by", "Price")
_PRICE = 7
#: Columns that a narrow terminal goes without, in this order.
_LEFT_OUT_FIRST = (6, 4, 5, 2)
_GAP = "  "


def render_advice(report: AdviceReport, style: Style) -> str:
    """The advice as text with ANSI colours; the caller strips them where colour is not wanted."""
    return "\n".join(_lines(report, style)) + "\n"


def _lines(report: AdviceReport, style: Style) -> Iterator[str]:
    yield from _wrapped(heading(report.job), style)
    yield ""
    yield from (click.style(line, bold=True) for line in _wrapped(report.answer, style))
    if style.verbosity < 0:
        return
    yield ""
    yield from _table(report, style)
    yield ""
    yield from _builds(report, style)
    if report.options:
        yield "What to do, cheapest first:"
    for number, option in enumerate(report.options, 1):
        yield from _wrapped(
            f"{number}. {option.title} ({costs_in_words(option.costs)}). {option.why}", style, "  ", "     "
        )
    yield ""
    for one in report.matlab:
        yield from _wrapped(f"{in_a_line(one)} Lines to type: gpudoctor matrix matlab --here", style)
    for sentence in report.basis:
        yield from _wrapped(sentence, style)


def heading(job: Job) -> str:
    """The job in a line."""
    title = f"{job.title[0].upper()}{job.title[1:]}"
    return f"{title}: {job.samples:,} {job.sample}s x {job.epochs}, batches of {job.batch}."


def _table(report: AdviceReport, style: Style) -> Iterator[str]:
    rows = [_HEADER, *(_row(report, one) for one in report.estimates)]
    shown = [number for number in range(len(_HEADER)) if report.prices_of or number != _PRICE]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
    for number in _LEFT_OUT_FIRST:
        if _excess(widths, shown, style) > 0:
            shown.remove(number)
    widths[0] -= max(0, _excess(widths, shown, style))
    for number, row in enumerate(rows):
        line = _GAP.join(_cell(row[column], widths[column]) for column in shown).rstrip()
        yield click.style(line, underline=True) if number == 0 else line
    if report.prices_of:
        yield f"Prices in {visible(report.currency)}, of {report.prices_of}."


def _excess(widths: Sequence[int], shown: Sequence[int], style: Style) -> int:
    """Characters that do not fit beside each other; none where a program reads them."""
    return 0 if style.piped else sum(widths[one] + len(_GAP) for one in shown) - len(_GAP) - style.width


def _cell(text: str, width: int) -> str:
    """A cell of that width; the end of what is longer is left out."""
    return text.ljust(width) if len(text) <= width else f"{text[: width - 1]}\N{HORIZONTAL ELLIPSIS}"


def _row(report: AdviceReport, one: Estimate) -> tuple[str, ...]:
    name = f"{short_name(visible(one.device))}{' (here)' if one.here else ''}"
    price = f"{one.price:,.2f}" if one.price is not None else "-"
    if one.rate is None:
        return name, "?", "?", memory_in_words(one), one.precision, "?", "-", price
    seconds = total_seconds(report.job, one.rate)
    span = span_in_words(seconds.low, seconds.high)
    rate = rate_in_words(one.rate.middle)
    return name, spoken(seconds.middle), span, memory_in_words(one), one.precision, rate, one.bound or "-", price


def short_name(device: str) -> str:
    """A GPU without its maker: GeForce RTX 4090."""
    return device.removeprefix("NVIDIA ")


def span_in_words(low: float, high: float) -> str:
    """Two times, the unit once where they share it: 6.6 to 22 days."""
    first, last = spoken(low), spoken(high)
    number, _, unit = first.partition(" ")
    return f"{number if last.endswith(f' {unit}') else first} to {last}"


def rate_in_words(rate: float) -> str:
    """Three digits at most behind the first that counts: 0.44, 12.3, 2,026."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def memory_in_words(one: Estimate) -> str:
    """What is needed of what is there, and the batch that would fit."""
    gib = one.memory_needed / 2**30
    need = f"{gib:.0f}" if gib >= 10 else f"{gib:.1f}"
    if one.memory_there is None:
        return f"{need} of ?"
    there = f"{need} of {one.memory_there / 2**30:.0f}"
    if one.fits:
        return there
    return f"{there} (batch {one.largest_batch})" if one.largest_batch else f"{there} (too little)"


def _builds(report: AdviceReport, style: Style) -> Iterator[str]:
    """Why nothing is estimated; what still serves old GPUs (the newest builds serve the others)."""
    for one in report.estimates:
        served = f"Newest builds that serve it: {', '.join(one.builds)}" if one.builds else ""
        said = [text for text in (one.missing, one.note, served if one.note or one.here else "") if text]
        if said:
            yield from _wrapped(f"{visible(one.device)}: {'. '.join(said)}.", style, "", "  ")
    if any(one.note or one.missing for one in report.estimates):
        yield ""


def costs_in_words(word: str) -> str:
    """What an option costs."""
    return {"nothing": "free", "effort": "some work", "money": "costs money"}[word]


def _wrapped(text: str, style: Style, first: str = "", later: str = "") -> list[str]:
    return wrapping.wrap(text, style.width, first, later)
