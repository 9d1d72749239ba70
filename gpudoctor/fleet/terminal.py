"""Renders a fleet report for the terminal; texts from other machines pass `visible`."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts.finding import Severity
from gpudoctor.fleet.overview import Nodes, Overview
from gpudoctor.fleet.words import WHY, drift_line, group_label, headline, slow_line, trouble_line, varied_line
from gpudoctor.language import wrapping
from gpudoctor.report.commands import visible
from gpudoctor.report.terminal import Style

#: Lines of one kind that are shown; all are in the other formats.
_MOST = 10
_MOST_NAMES = 160


def render_fleet(overview: Overview, style: Style) -> str:
    """The text."""
    return "\n".join(_lines(overview, style.width, None if style.verbosity > 0 else _MOST)) + "\n"


def _lines(overview: Overview, width: int, most: int | None) -> Iterator[str]:
    yield from _wrapped(headline(overview), width)
    sections: tuple[tuple[str, list[tuple[str, ...]]], ...] = (
        ("No answer", [(f"{WHY[one.why]}: {_set(one.nodes)}", one.detail) for one in overview.silent]),
        ("Errors", _findings(overview, "error")),
        ("Warnings", _findings(overview, "warning")),
        (
            "Different from the rest",
            [(f"{_set(one.nodes)}: {drift_line(one)}", group_label(one.group)) for one in overview.drift],
        ),
        ("Slow GPUs", [(slow_line(one),) for one in overview.slow]),
        ("No common value", [(varied_line(one), group_label(one.group)) for one in overview.varied]),
        ("Not seen", [(f"{fact}: {_set(nodes)}",) for fact, nodes in overview.unseen]),
        ("Worst nodes", [(f"{one.host}: {trouble_line(one)}",) for one in overview.worst]),
        ("Fix plan", list(_plan(overview))),
        ("Input", list(_input(overview))),
    )
    for title, items in sections:
        if items:
            yield ""
            yield title
            yield from _items(items, width, most)


def _findings(overview: Overview, severity: Severity) -> list[tuple[str, ...]]:
    found = (one for one in overview.findings if one.severity == severity)
    return [(f"{one.code} {one.name}: {_set(one.nodes)}", one.summary) for one in found]


def _items(items: list[tuple[str, ...]], width: int, most: int | None) -> Iterator[str]:
    for first, *more in items[:most]:
        yield from _wrapped(first, width, "  ", "      ")
        for line in more:
            yield from _wrapped(line, width, "      ", "      ") if line else ()
    if most is not None and len(items) > most:
        yield f"  … and {len(items) - most:,} more (-v shows them)"


def _plan(overview: Overview) -> Iterator[tuple[str, ...]]:
    for number, step in enumerate(overview.plan, 1):
        needs = [word for flag, word in ((step.fix.needs_root, "root"), (step.fix.needs_reboot, "a restart")) if flag]
        codes = f" [{', '.join(step.codes)}]" if step.codes else ""
        title = f"{number}. {step.title}{f' (needs {chr(32).join(needs)})' if needs else ''}{codes}"
        yield (title, _set(step.nodes), *step.fix.by_hand, *step.fix.commands)


def _input(overview: Overview) -> Iterator[tuple[str, ...]]:
    for one in overview.unreadable:
        yield (f"{one.where} was left out: {one.reason}" + (f" ({one.host})" if one.host else ""),)
    if overview.unreadable_count > len(overview.unreadable):
        yield (f"{overview.unreadable_count:,} lines were left out in all",)
    for note in overview.noted:
        yield (note.text + (f": {_set(note.nodes)}" if note.nodes else ""),)


def _set(nodes: Nodes) -> str:
    names = nodes.names if len(nodes.names) <= _MOST_NAMES else nodes.names[:_MOST_NAMES].rpartition(",")[0] + ",…"
    return f"{names} ({nodes.count:,})" if nodes.count > 1 else names


def _wrapped(text: str, width: int, first: str = "", rest: str = "") -> Iterable[str]:
    return wrapping.wrap(visible(text), width, first, rest)
