"""Advice for a terminal: the answer, a table of devices, and what to do."""

import textwrap
from collections.abc import Iterator, Sequence

import click

from gpudoctor.facts.advice import AdviceReport, Estimate, Job, total_seconds
from gpudoctor.facts.durations import spoken
from gpudoctor.report.commands import visible
from gpudoctor.report.terminal import Style

_HEADER = ("Device", "In all", "Range", "Memory, GiB", "Precision", "A second", "Limited by", "Price")
_PRICE = 7
#: Columns that a narrow terminal goes without, in this order.
_LEFT_OUT_FIRST = (6, 4, 5)


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
    for sentence in report.basis:
        yield from _wrapped(sentence, style)


def heading(job: Job) -> str:
    """The job in a line."""
    title = f"{job.title[0].upper()}{job.title[1:]}"
    return f"{title}: {job.samples:,} {job.sample}s x {job.epochs}, batches of {job.batch}."


def _table(report: AdviceReport, style: Style) -> Iterator[str]:
    rows = [_HEADER, *(_row(report, one) for one in report.estimates)]
    shown = [number for number in range(len(_HEADER)) if report.prices_of or number != _PRICE]
    for number in _LEFT_OUT_FIRST:
        if sum(_width(rows, column) + 2 for column in shown) - 2 > style.width and not style.piped:
            shown.remove(number)
    for number, row in enumerate(rows):
        line = "  ".join(row[column].ljust(_width(rows, column)) for column in shown).rstrip()
        yield click.style(line, underline=True) if number == 0 else line
    if report.prices_of:
        yield f"Prices in {visible(report.currency)}, of {report.prices_of}."


def _width(rows: Sequence[tuple[str, ...]], column: int) -> int:
    return max(len(row[column]) for row in rows)


def _row(report: AdviceReport, one: Estimate) -> tuple[str, ...]:
    name = f"{short_name(visible(one.device))}{' (here)' if one.here else ''}"
    price = f"{one.price:,.2f}" if one.price is not None else "-"
    if one.rate is None:
        return name, "?", one.missing, memory_in_words(one), one.precision, "?", "-", price
    seconds = total_seconds(report.job, one.rate)
    span = f"{spoken(seconds.low)} to {spoken(seconds.high)}"
    rate = rate_in_words(one.rate.middle)
    return name, spoken(seconds.middle), span, memory_in_words(one), one.precision, rate, one.bound or "-", price


def short_name(device: str) -> str:
    """A GPU without its maker: GeForce RTX 4090."""
    return device.removeprefix("NVIDIA ")


def rate_in_words(rate: float) -> str:
    """Three digits at most behind the first that counts: 0.44, 12.3, 2,026."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def memory_in_words(one: Estimate) -> str:
    """What is needed of what is there, and the batch that would fit."""
    need = f"{one.memory_needed / 2**30:.1f}"
    if one.memory_there is None:
        return f"{need} of ?"
    there = f"{need} of {one.memory_there / 2**30:.0f}"
    if one.fits:
        return there
    return f"{there} (batch <= {one.largest_batch})" if one.largest_batch else f"{there} (too little)"


def _builds(report: AdviceReport, style: Style) -> Iterator[str]:
    """What still serves old GPUs; the newest builds serve the others."""
    for one in report.estimates:
        if one.note or (one.here and one.builds):
            served = f"Newest builds that serve it: {', '.join(one.builds)}." if one.builds else ""
            yield from _wrapped(
                f"{visible(one.device)}: {one.note + '. ' if one.note else ''}{served}", style, "", "  "
            )
    if any(one.note for one in report.estimates):
        yield ""


def costs_in_words(word: str) -> str:
    """What an option costs."""
    return {"nothing": "free", "effort": "some work", "money": "costs money"}[word]


def _wrapped(text: str, style: Style, first: str = "", later: str = "") -> list[str]:
    return textwrap.wrap(text, style.width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
