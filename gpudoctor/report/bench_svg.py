"""Draws small SVG plots: lines over logarithmic axes, bars, strips over time. Colours are CSS classes."""

import math
from collections.abc import Iterable, Sequence
from html import escape

from gpudoctor.facts.base import Fact

WIDTH, HEIGHT = 460, 290
LEFT, RIGHT, TOP, BOTTOM = 72, 14, 14, 46
BAR = 40
NAME_WIDTH = 172


class Point(Fact, frozen=True, kw_only=True):
    """A point with the range that its value was in. A noisy one is drawn hollow."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    noisy: bool = False
    says: str = ""


class Line(Fact, frozen=True, kw_only=True):
    """A named line; `style` is its CSS class: cpu, gpu, copies, dense, conv, transformer."""

    name: str
    style: str
    points: tuple[Point, ...]
    dashed: bool = False


class Mark(Fact, frozen=True, kw_only=True):
    """A vertical line at x."""

    x: float
    style: str


class Bar(Fact, frozen=True, kw_only=True):
    """A bar between 0 and `most`, with a tick where others are."""

    name: str
    share: float
    text: str
    style: str = "gpu"
    tick: float | None = None
    faint: bool = False


class Axis:
    """From values to places, logarithmic or not."""

    def __init__(self, values: Iterable[float], start: float, end: float, *, log: bool) -> None:
        known = [value for value in values if not log or value > 0]
        self.low, self.high = min(known), max(known)
        self._log, self._start, self._end = log, start, end
        if self.low == self.high:
            self.low, self.high = self.low * 0.8, self.high * 1.25 or 1.0

    def at(self, value: float) -> float:
        """The place of a value."""
        low, high, here = (self._scaled(one) for one in (self.low, self.high, value))
        return round(self._start + (self._end - self._start) * (here - low) / (high - low), 1)

    def _scaled(self, value: float) -> float:
        return math.log(max(value, 1e-12)) if self._log else value


def line_plot(
    lines: Sequence[Line],
    *,
    x_name: str,
    y_name: str,
    marks: Sequence[Mark] = (),
    level: float | None = None,
    log: bool = True,
    zero: bool = False,
    height: int = HEIGHT,
) -> str:
    """Lines with their legend above. `level`: a horizontal line. `zero`: the y axis begins there."""
    points = [point for line in lines for point in line.points]
    ends = [end for point in points for end in (point.y, point.low or point.y, point.high or point.y)]
    ends += [level] if level else []
    across = Axis([point.x for point in points], LEFT + 8, WIDTH - RIGHT - 8, log=log)
    up = Axis([*ends, *([0.0] if zero and not log else [])], height - BOTTOM, TOP + 6, log=log)
    parts = [_frame(height), *_y_axis(up, y_name, height, log=log), *_x_axis(across, points, x_name, height, log=log)]
    if level is not None:
        parts.append(f'<line class="level" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up.at(level)}" y2="{up.at(level)}"/>')
    parts += [_mark(mark, across.at(mark.x), height) for mark in marks]
    for line in lines:
        parts += _line(line, across, up)
    return _svg(parts, height, f"{y_name} against {x_name}")


def bar_plot(bars: Sequence[Bar], *, name: str, most: float = 1.0) -> str:
    """Horizontal bars of shares of `most`, with what they say beside them."""
    height = BAR * len(bars) + 8
    room = WIDTH - NAME_WIDTH - RIGHT
    parts = []
    for number, bar in enumerate(bars):
        top = 4 + number * BAR
        length = round(max(1.5, min(1.0, bar.share / most) * room), 1)
        faint = " faint" if bar.faint else ""
        parts.append(f'<text class="name" x="0" y="{top + 12}">{escape(bar.name)}</text>')
        parts.append(f'<rect class="track" x="{NAME_WIDTH}" y="{top}" width="{room}" height="14" rx="2"/>')
        parts.append(
            f'<rect class="bar {bar.style}{faint}" x="{NAME_WIDTH}" y="{top}" width="{length}" height="14" rx="2"/>'
        )
        if bar.tick is not None:
            x = round(NAME_WIDTH + min(1.0, bar.tick / most) * room, 1)
            parts.append(f'<line class="tick" x1="{x}" x2="{x}" y1="{top - 2}" y2="{top + 16}"/>')
        parts.append(f'<text class="value" x="{NAME_WIDTH}" y="{top + 29}">{escape(bar.text)}</text>')
    return _svg(parts, height, name)


def legend(lines: Sequence[Line]) -> str:
    """The names of the lines with their colours, as HTML."""
    items = (
        f'<li><span class="key {line.style}{" dashed" if line.dashed else ""}"></span>{escape(line.name)}</li>'
        for line in lines
    )
    return f'<ul class="legend">{"".join(items)}</ul>'


def number(value: float) -> str:
    """A number for an axis: 0.001, 5, 12,000, 1e-06."""
    if value and (abs(value) < 1e-3 or abs(value) >= 1e6):
        return f"{value:.0e}"
    return f"{value:,.10g}"


def _svg(parts: Sequence[str], height: int, name: str) -> str:
    head = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(name, quote=True)}">'
    return head + "".join(parts) + "</svg>"


def _frame(height: int) -> str:
    return f'<path class="frame" d="M{LEFT} {TOP}V{height - BOTTOM}H{WIDTH - RIGHT}" fill="none"/>'  # left and bottom


def _y_axis(up: Axis, name: str, height: int, *, log: bool) -> list[str]:
    middle = f"{-(TOP + height - BOTTOM) / 2:.0f}"
    place = f'x="{middle}" y="12" text-anchor="middle" transform="rotate(-90)"'
    parts = [f'<text class="axis" {place}>{escape(name)}</text>']
    for value in _ticks(up, log=log, most=6 if height >= HEIGHT else 3):
        y = up.at(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="axis" x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{number(value)}</text>')
    return parts


def _x_axis(across: Axis, points: Sequence[Point], name: str, height: int, *, log: bool) -> list[str]:
    place = f'x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{height - 6}" text-anchor="middle"'
    parts = [f'<text class="axis" {place}>{escape(name)}</text>']
    # Sizes and batches are few: each that was measured is named, if there is room. Time has round numbers.
    values = sorted({point.x for point in points}) if log else _ticks(across, log=False, most=6)
    last = -math.inf
    for value in values:
        x = across.at(value)
        if x - last >= 46:
            parts.append(
                f'<text class="axis" x="{x}" y="{height - BOTTOM + 16}" text-anchor="middle">{number(value)}</text>'
            )
            last = x
    return parts


def _ticks(axis: Axis, *, log: bool, most: int) -> list[float]:
    """Powers of ten; with 2 and 5 between where there are few. Or round steps."""
    if log:
        first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
        factors = (1,) if last - first > 2 else (1, 2, 5)
        step = 2 if last - first > 7 else 1
        found = [factor * 10.0**power for power in range(first, last + 1, step) for factor in factors]
    else:
        size = 10 ** math.floor(math.log10(axis.high - axis.low))
        size = next(size * part for part in (0.2, 0.5, 1, 2, 5) if (axis.high - axis.low) / (size * part) <= most)
        found = [round(math.ceil(axis.low / size) * size + size * place, 10) for place in range(8)]
    return [value for value in found if axis.low <= value <= axis.high]


def _mark(mark: Mark, x: float, height: int) -> str:
    return f'<line class="mark {mark.style}" x1="{x}" x2="{x}" y1="{TOP}" y2="{height - BOTTOM}"/>'


def _line(line: Line, across: Axis, up: Axis) -> list[str]:
    points = sorted(line.points, key=lambda point: point.x)
    places = " ".join(f"{across.at(point.x)},{up.at(point.y)}" for point in points)
    band = [(across.at(point.x), point) for point in points]
    upper = [f"{x},{up.at(point.high or point.y)}" for x, point in band]
    lower = [f"{x},{up.at(point.low or point.y)}" for x, point in reversed(band)]
    dashed = " dashed" if line.dashed else ""
    parts = [f'<polygon class="band {line.style}" points="{" ".join((*upper, *lower))}"/>'] if len(points) > 1 else []
    parts.append(f'<polyline class="line {line.style}{dashed}" points="{places}"/>')
    for x, point in band:
        hollow = " hollow" if point.noisy else ""
        title = f"<title>{escape(point.says)}</title>" if point.says else ""
        if point.says:
            parts.append(
                f'<circle class="dot {line.style}{hollow}" cx="{x}" cy="{up.at(point.y)}" r="3.5">{title}</circle>'
            )
    return parts
