"""Finds recorded changes to environments by id or place, and describes each in a line."""

import os

from gpudoctor.apply.backups import is_left
from gpudoctor.apply.disk_usage import own_size_of
from gpudoctor.apply.distributions import differences, installed
from gpudoctor.apply.journal import UNFINISHED, Change, load_changes
from gpudoctor.report.commands import visible


class NoSuchChange(LookupError):
    """Nothing fits what was asked for; the message says what there is."""


def find(change_id: str | None, place: str | None) -> Change:
    """The change of that id, or of that environment; else the last one that can be taken back. Raises NoSuchChange."""
    every = load_changes(environment_of(place) if place is not None else None)
    if change_id is not None:
        fitting = [one for one in every if one.id.startswith(change_id)]
        if len(fitting) != 1:
            what = "no change" if not fitting else "more than one change"
            raise NoSuchChange(f"{what} has the id {change_id!r}; `gpudoctor history` lists them.")
        return fitting[0]
    open_ = [one for one in every if one.state == "done" or one.state in UNFINISHED]
    if not open_:
        where = f" of {place}" if place is not None else ""
        raise NoSuchChange(f"there is no change{where} that could be taken back.")
    return open_[-1]


def environment_of(place: str) -> str:
    """The folder of an environment that is given by itself, or by its interpreter."""
    path = os.path.abspath(place)
    if os.path.basename(os.path.dirname(path)) in ("bin", "Scripts"):
        path = os.path.dirname(os.path.dirname(path))
    return os.path.realpath(path) if os.path.islink(path) else path


def told(change: Change) -> str:
    """A change in one line."""
    if change.state in UNFINISHED:
        what = "cut short, or still going on"
    elif change.state == "undone" and not change.after:
        what = "cut short; everything was put back"
    elif change.state == "failed":
        what = f"failed: {_first_sentence(change.reason or 'no reason is known')}"
    else:
        made = ", ".join(line for line in differences(change.before, change.after)[:4])
        what = {"new": "new environment", "replaced": "new environment in place of another"}.get(change.kind, made)
        what += {"undone": " (undone)", "forgotten": " (the way back is not kept)"}.get(change.state, "")
    if is_left(change):
        size = own_size_of(change.folder) / 1e6
        what += f"; {size:.0f} MB of it are still in {change.folder}, and the next `gpudoctor undo` removes them"
    return visible(f"{change.id}  {change.environment}  {what}")


def back(change: Change) -> tuple[str, ...]:
    """What undoing it changes, in lines."""
    if change.kind == "new":
        return (f"{change.environment} is removed",)
    if change.kind == "replaced" or change.state in UNFINISHED:
        return ("the environment from before takes its place",)
    return tuple(visible(line) for line in differences(installed(change.environment), change.before)[:40])


def _first_sentence(reason: str) -> str:
    """The first line, and the next one that is no warning where that only announces it."""
    first, *more = [line.strip() for line in reason.splitlines() if line.strip()] or [""]
    errors = [line for line in more if not line.startswith("WARNING")]
    return " ".join([first, *errors[:1]]) if first.endswith(":") else first
