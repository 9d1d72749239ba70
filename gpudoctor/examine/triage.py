"""Reads and diagnoses each ticket given to `triage`; one that fails does not stop the others."""

import gc
import os
from collections.abc import Iterator

from gpudoctor.diagnosis.assumptions import findings_with_gpu
from gpudoctor.diagnosis.triage import Ticket, ticket_of
from gpudoctor.examine.judging import Criteria, criteria_of, judge
from gpudoctor.examine.tickets import Unreadable, read_input, shown, subject_of
from gpudoctor.knowledge.matrix.load import load_matrix

#: From so many inputs on it pays to start further processes; and how many each takes at a time.
_MANY, _CHUNK = 64, 32
#: Inputs judged between two collections of garbage; the command runs without them.
_TIDY = 256


def judged_tickets(paths: list[str], criteria: Criteria, jobs: int | None) -> Iterator[Ticket]:
    """A ticket for each input, in their order; `jobs` processes, None: as many as there are cores."""
    jobs = jobs or _cores()
    if len(paths) < _MANY or jobs == 1 or "-" in paths:
        yield from _one_after_another(paths, criteria)
        return
    # Imported here: a single ticket needs no further process.
    from gpudoctor.host.workers import in_processes

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
