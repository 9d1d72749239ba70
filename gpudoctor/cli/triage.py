"""`gpudoctor triage`."""

import gc
import os
from collections.abc import Iterator

import click

from gpudoctor.cli.judging import Criteria, criteria_of, judge
from gpudoctor.cli.output import shows_unicode, width, write_bytes, write_text
from gpudoctor.cli.redact_output import door
from gpudoctor.cli.tickets import Unreadable, read_input, shown, subject_of
from gpudoctor.diagnosis.assumptions import findings_with_gpu
from gpudoctor.diagnosis.triage import Ticket, ticket_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.redact.facts import fact_without_credentials
from gpudoctor.report.terminal import Style
from gpudoctor.report.triage import render_tickets_json, render_tickets_markdown, render_tickets_terminal
from gpudoctor.report.triage_html import render_tickets_html

#: From so many inputs on it pays to start further processes; and how many each takes at a time.
_MANY, _CHUNK = 64, 32
#: Files of a folder that are no tickets.
_OTHER = (
    ".py",
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".html",
    ".htm",
    ".whl",
    ".so",
    ".o",
    ".pyc",
    ".pt",
    ".bin",
    ".csv.gz",
)
#: Inputs judged between two collections of garbage; the command runs without them.
_TIDY = 256


@click.command("triage")
@click.argument("inputs", nargs=-1, required=True, metavar="FILE|DIR|-...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "json", "markdown", "html"]),
    default="terminal",
    show_default=True,
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), metavar="N", help="Processes for many inputs.  [default: the cores]"
)
@click.option("--select", multiple=True, metavar="CODES", help="Only these rules: codes, families or names, by comma.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Not these rules.")
@click.option("-v", "--verbose", is_flag=True, help="Also what was recognised where, and every cause that remains.")
@click.option("-q", "--quiet", is_flag=True, help="One line for each input.")
def command(
    inputs: tuple[str, ...],
    form: str,
    jobs: int | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    verbose: bool,
    quiet: bool,
) -> None:
    """Judge what other people sent: snapshots, bundles of `gpudoctor report`, or whatever they pasted.

    A pasted text may mix nvidia-smi, collect_env, pip list, logs, tracebacks and prose. It is judged by what it states,
    and never called healthy; what to ask next is said with it. Of a very large file the beginning and the end are read.

    The exit code is 1 if a cause is named for any input, else 3 if one could not be read or states too little, else 0.
    """
    criteria = criteria_of(select, ignore, (), None)
    tickets = _judged(list(_files(inputs)), criteria, jobs)
    worst = _Worst()
    if form == "json":
        for part in render_tickets_json(map(fact_without_credentials, worst.noted(tickets))):
            write_bytes(part)
    elif form in ("markdown", "html"):
        # What goes into a reply passes the door of all that is shared.
        shared = door()
        draw = render_tickets_markdown if form == "markdown" else render_tickets_html
        write_bytes(draw(tuple(shared.fact(one) for one in worst.noted(tickets))).encode())
    else:
        style = Style(width=width(), unicode=shows_unicode(), verbosity=1 if verbose else -1 if quiet else 0)
        for part_text in render_tickets_terminal(worst.noted(tickets), style):
            write_text(part_text)
    raise click.exceptions.Exit(worst.code)


class _Worst:
    """The exit code of all tickets: 1 outranks 3, which outranks 0."""

    def __init__(self) -> None:
        self.code = 0

    def noted(self, tickets: Iterator[Ticket]) -> Iterator[Ticket]:
        """The tickets, each noted as it passes."""
        for ticket in tickets:
            if ticket.exit_code == 1 or self.code == 0:
                self.code = ticket.exit_code
            yield ticket


def _files(inputs: tuple[str, ...]) -> Iterator[str]:
    """The files named, and those in the folders named, in order of their names."""
    for name in inputs:
        if name == "-" or not os.path.isdir(name):
            yield name
            continue
        for folder, folders, names in os.walk(name):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            for file in sorted(names):
                path = os.path.join(folder, file)
                if not file.startswith(".") and not file.lower().endswith(_OTHER) and os.path.isfile(path):
                    yield path


def _judged(paths: list[str], criteria: Criteria, jobs: int | None) -> Iterator[Ticket]:
    """A ticket for each input, in their order."""
    if not paths:
        raise click.UsageError("there is no file in these folders that could be judged")
    jobs = jobs or _cores()
    if len(paths) < _MANY or jobs == 1 or "-" in paths:
        yield from _one_after_another(paths, criteria)
        return
    # Imported here: a single ticket needs no further process.
    from gpudoctor.cli.workers import in_processes

    global _criteria  # noqa: PLW0603 - inherited by the processes that are forked
    _criteria = criteria
    load_matrix()
    chunks = (tuple(paths[start : start + _CHUNK]) for start in range(0, len(paths), _CHUNK))
    for tickets in in_processes(_chunk, chunks, jobs):
        yield from tickets


_criteria: Criteria | None = None


def _chunk(paths: tuple[str, ...]) -> tuple[Ticket, ...]:
    tickets = tuple(_one_after_another(list(paths), _criteria or criteria_of((), (), (), None)))
    gc.collect()
    return tickets


def _one_after_another(paths: list[str], criteria: Criteria) -> Iterator[Ticket]:
    for number, path in enumerate(paths, 1):
        yield ticket(path, criteria)
        if number % _TIDY == 0:
            gc.collect()


def _cores() -> int:
    return min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def ticket(path: str, criteria: Criteria) -> Ticket:
    """The ticket of one input. Whatever it holds, the others are judged: our own failure on it is said of it."""
    name = "standard input" if path == "-" else shown(path)
    try:
        return _ticket(path, criteria)
    except Unreadable as error:
        return Ticket(name=name, kind="unreadable", error=str(error))
    except MemoryError:
        return Ticket(name=name, kind="unreadable", error="there is not memory enough to read it")
    except Exception as error:  # noqa: BLE001 - one input must not take the others with it
        return Ticket(name=name, kind="unreadable", error=_own_failure(error))


def _own_failure(error: Exception) -> str:
    """Our own bug in one sentence: what was raised, and where. The text itself may be private, and is left out."""
    # Imported here: it should never be needed.
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(os.path.dirname(last.filename))}/{os.path.basename(last.filename)}:{last.lineno}"
    return f"gpudoctor itself failed on it ({type(error).__name__} in {where}); please report that line"


def _ticket(path: str, criteria: Criteria) -> Ticket:
    given = read_input(path)
    subject = subject_of(given, load_matrix())
    report = judge(subject.snapshot, criteria)
    supposed = findings_with_gpu(subject.snapshot, load_matrix(), criteria.rules) if subject.kind == "text" else ()
    return ticket_of(given.name, subject.kind, report, criteria.rules, subject.contents, supposed)
