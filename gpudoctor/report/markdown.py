"""Renders the report as Markdown for a GitHub issue: the verdict first, the facts folded."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.report import Report
from gpudoctor.report.facts import FactGroup, fact_groups
from gpudoctor.report.tables import Grid, grids_of
from gpudoctor.report.view import FindingView, FixView, View, view_of

#: GitHub takes 65,536 characters in a comment; the writer wants room for a word of their own.
LIMIT = 60_000
#: Of a value among the evidence, characters; the whole is in the JSON report.
_LONGEST = 1000

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SIGNS = {"ok": "\u2713", "error": "\u2717", "warning": "!", "info": "i", "absent": "-", "unseen": "?"}


def render_markdown(
    view: View, groups: tuple[FactGroup, ...] = (), grids: tuple[Grid, ...] = (), *, footer: str = ""
) -> str:
    """The report; facts that would not fit in LIMIT characters are left out, and it says so."""
    text = "\n".join((*_lines(view), *(line for grid in grids for line in _grid(grid)))) + "\n"
    end = f"\n{_escaped(footer)}\n" if footer else ""
    for number, group in enumerate(groups):
        block = "\n".join(_folded(group)) + "\n"
        if len(text) + len(block) + len(end) > LIMIT:
            left = ", ".join(dict.fromkeys(one.title for one in groups[number:]))
            return (
                _printable(text)
                + f"\nLeft out because an issue would be too long: {left}. They are in the JSON report.\n"
                + end
            )
        text += block
    return _printable(text + end)


def report_markdown(report: Report) -> str:
    """The report of a check for an issue."""
    return render_markdown(view_of(report), fact_groups(report.snapshot), grids_of(report))


def _printable(text: str) -> str:
    """Nothing that steers a terminal: a snapshot from elsewhere may hold it."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def _lines(view: View) -> Iterator[str]:
    yield f"**{_escaped(view.headline)}**"
    yield ""
    yield from _fenced("\n".join(f"{_SIGNS[line.state]}  {line.layer:<11} {line.text}" for line in view.stack))
    for finding in view.causes:
        yield from _finding(finding)
    if view.consequences:
        yield ""
        yield "Consequences:"
        yield ""
        for finding in view.consequences:
            yield f"- {finding.code}: {_escaped(finding.summary)} (because of {', '.join(finding.because_of)})"
    if view.notes:
        yield ""
        yield "Notes:"
        yield ""
        for finding in view.notes:
            yield f"- {finding.code}: {_escaped(finding.summary)}"
    if view.unseen:
        yield ""
        yield "Required facts that were not read:"
        yield ""
        yield from (f"- {_escaped(fact)}" for fact in view.unseen)
    for crash in view.crashes:
        yield ""
        yield "gpudoctor failed; please report:"
        yield ""
        yield from _fenced(crash)
    if view.examined:
        yield ""
        yield f"Examined: {_code(view.examined)}, {view.rules_run} rules."


def _finding(finding: FindingView) -> Iterator[str]:
    sure = "" if finding.confidence == "certain" else f" ({finding.confidence})"
    yield ""
    yield f"### {finding.severity} {finding.code} {finding.name}{sure}"
    yield ""
    yield _escaped(finding.summary)
    yield ""
    for fact, value, _ in finding.evidence:
        yield f"- {_escaped(fact)}: {_code(value if len(value) <= _LONGEST else value[:_LONGEST] + ' ...')}"
    for number, fix in enumerate(finding.fixes):
        yield from _fix(fix, first=number == 0)


def _fix(fix: FixView, *, first: bool) -> Iterator[str]:
    needs = f" ({fix.needs})" if fix.needs else ""
    yield ""
    yield f"{'Fix' if first else 'Or'}: {_escaped(fix.title)}{needs}"
    commands: list[str] = []
    for is_command, line in fix.commands:
        if is_command:
            commands.append(line)
            continue
        yield from _commands(commands)
        yield ""
        yield _escaped(line)
    yield from _commands(commands)


def _commands(commands: list[str]) -> Iterator[str]:
    if commands:
        yield ""
        yield from _fenced("\n".join(commands), "shell")
        commands.clear()


def _grid(grid: Grid) -> Iterator[str]:
    yield ""
    yield f"### {grid.title}"
    yield ""
    yield f"| {' | '.join(map(_escaped, grid.header))} |"
    yield f"|{' --- |' * len(grid.header)}"
    for row in grid.rows:
        yield f"| {' | '.join(map(_escaped, row))} |"
    yield ""
    for number, note in enumerate(grid.notes, start=1):
        yield f"{number}. {_escaped(note)}"


def _folded(group: FactGroup) -> Iterator[str]:
    width = max((len(name) for name, _ in group.rows), default=0)
    yield ""
    yield f"<details><summary>{_escaped(group.title)}</summary>"
    yield ""
    yield from _fenced("\n".join(f"{name:<{width}}  {value}".strip() for name, value in group.rows))
    yield ""
    yield "</details>"


def _fenced(text: str, language: str = "text") -> Iterator[str]:
    """A code block that no line of the text can end."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    yield f"{fence}{language}"
    yield text.rstrip("\n")
    yield fence


def _code(text: str) -> str:
    """The text in a code span, whatever backticks it holds."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text or ' '}{space}{ticks}"


def _escaped(text: str) -> str:
    """The text as words: no markup, no HTML, nobody is notified, no issue is linked."""
    text = re.sub(r"([\\`*_{}\[\]<>~|])", r"\\\1", " ".join(text.split()))
    text = re.sub(r"(?<!\w)([@#])(?=\w)", "\\1\u200b", text)
    return re.sub(r"^([-+#>]|\d+[.)])(?=\s|$)", r"\\\1", text)
