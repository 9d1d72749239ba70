"""Renders the comparison of two snapshots for a terminal."""

from collections.abc import Iterator

import click

from gpudoctor.diagnosis.change import Change
from gpudoctor.diagnosis.compare import Comparison, Shift
from gpudoctor.report.commands import visible
from gpudoctor.report.terminal import Style, wrapped
from gpudoctor.sources.package_names import is_relevant

_COLOURS = {"error": "red", "warning": "yellow"}


def render_diff(comparison: Comparison, style: Style) -> str:
    """New findings, then the changes, most suspicious first."""
    return "\n".join(_lines(comparison, style)) + "\n"


def _lines(comparison: Comparison, style: Style) -> Iterator[str]:
    yield from _shifts("New:", comparison.appeared, style)
    yield from _shifts("Gone:", comparison.gone, style)
    shown = [one for one in comparison.suspects if style.verbosity > 0 or one.brings or not _is_minor(one.change)]
    if not comparison.suspects:
        yield "No change in what both snapshots contain."
    elif shown:
        yield "What changed, most suspicious first:"
    for one in shown:
        mark = click.style("!", fg="red", bold=True) if one.brings else " "
        why = f"  (undoing this alone takes back {', '.join(one.brings)})" if one.brings else ""
        head, *rest = wrapped(sentence(one.change, style) + why, style, indent="    ", hang="      ")
        yield f"  {mark} {head.lstrip()}"
        yield from rest
    hidden = len(comparison.suspects) - len(shown)
    if hidden:
        yield f"And {hidden} other package{'s' if hidden > 1 else ''} changed; --verbose lists them."
    for section, why in comparison.not_compared:
        yield from wrapped(f"Not compared: {section}, {visible(why)}.", style, hang="  ")


def _shifts(title: str, shifts: tuple[Shift, ...], style: Style) -> Iterator[str]:
    told = [one for one in shifts if one.severity != "info" or style.verbosity > 0]
    if not told:
        return
    yield title
    for one in told:
        yield (
            "  " + click.style(f"{one.severity} {one.code}", fg=_COLOURS.get(one.severity), bold=True) + f" {one.name}"
        )
        yield from wrapped(visible(one.summary), style, indent="    ", hang="      ")
    yield ""


def sentence(change: Change, style: Style) -> str:
    """A change in words: torch 2.5.1+cu124 -> 2.6.0+cpu; LD_LIBRARY_PATH gained /opt/lib."""
    what = visible(change.what)
    if change.gained or change.lost:
        parts = [
            f"{verb} {', '.join(visible(one) or '(empty)' for one in values)}"
            for verb, values in (("gained", change.gained), ("lost", change.lost))
            if values
        ]
        return f"{what} {' and '.join(parts)}"
    arrow = "\u2192" if style.unicode else "->"
    return f"{what} {visible(change.before or '')} {arrow} {visible(change.after or '')}"


def _is_minor(change: Change) -> bool:
    """A package that neither is nor carries a GPU framework, or one that is told among the frameworks already."""
    return change.section == "packages" and not is_relevant(change.what.removeprefix("build of "))
