"""The user's update of the matrix: where its tables lie, how old it is, and whether it counts (`current.json`)."""

import datetime
import os
import sys

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.facts.typed_json import decode_json

#: Days after which a matrix is called old: the frameworks have had releases since.
OLD = 90
CURRENT = "current.json"


class Current(msgspec.Struct, frozen=True, kw_only=True):
    """The update that is in use."""

    edition: str
    #: Beside this file.
    folder: str
    #: Where it came from, without credentials.
    source: str
    #: ISO date of the update.
    updated: str
    #: What identifies the tables that came with gpudoctor when it was made: another gpudoctor brings its own.
    replaces: str


class Update(Fact, frozen=True, kw_only=True):
    """What an update came to."""

    before: str
    edition: str
    changed: bool
    tables: int = 0


class Status(Fact, frozen=True, kw_only=True):
    """Which edition is in use."""

    edition: str
    age_days: int | None
    is_old: bool
    #: Where an update came from; None: it came with gpudoctor.
    source: str | None = None
    updated: str | None = None
    folder: str


def status(edition: str, shipped: str) -> Status:
    """The state of the edition in use."""
    days, update = age(edition), current(shipped)
    return Status(
        edition=edition,
        age_days=days,
        is_old=days is not None and days > OLD,
        source=update[1].source if update else None,
        updated=update[1].updated if update else None,
        folder=update[0] if update else shipped,
    )


def updates() -> str:
    """The folder of the user's updates."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    else:
        base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "gpudoctor", "matrix")


def mark_of(shipped: str) -> str:
    """What changes when gpudoctor is installed anew: size and time of one of its tables."""
    found = os.stat(os.path.join(shipped, "torch.json"))
    return f"{shipped}:{found.st_size}:{found.st_mtime_ns}"


def current(shipped: str) -> tuple[str, Current] | None:
    """The folder of an update and what is known of it; None: there is none that belongs to this gpudoctor."""
    base = updates()
    try:
        with open(os.path.join(base, CURRENT), "rb") as stream:
            found = decode_json(stream.read(), type=Current)
        folder = os.path.join(base, found.folder)
        counts = found.replaces == mark_of(shipped) and os.path.isfile(os.path.join(folder, "torch.json"))
    except (OSError, msgspec.DecodeError, ValueError):
        return None
    return (folder, found) if counts else None


def age(edition: str) -> int | None:
    """Days since an edition; None where it is no date, or lies ahead."""
    try:
        days = (datetime.date.today() - datetime.date.fromisoformat(edition)).days
    except ValueError:
        return None
    return days if days >= 0 else None


def old_words(edition: str) -> str | None:
    """One sentence about a matrix that is old; None for one that is not."""
    days = age(edition)
    if days is None or days <= OLD:
        return None
    return (
        f"The matrix is of {edition}, {days} days old: releases since then are not in it. See gpudoctor matrix update."
    )
