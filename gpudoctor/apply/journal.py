"""The journal of a change: what was changed and how far it got, beside the environment and in the user's list.

The folder `.gpudoctor-ID` beside the environment holds `.journal.json` and the tree, a folder with the environment's
own name: the environment that is being built; after the switch, the one that was there before. Whatever moment a run
dies at, the state written last says what the tree is.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timezone
from typing import Literal

import msgspec
from msgspec import structs

from gpudoctor.apply.contents import Contents, Manifest, encoded, read_manifest
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.codec import decode, encode

#: preparing: the tree is unfinished, the environment as it was. changing: the environment is being changed in place,
#: and the tree its copy from before. switching: the two change places; the inode of the tree tells whether they have.
#: done: the tree is what was there before. undoing: the two change places again. undone, failed: as it was before.
#: forgotten: done, and the tree is not kept any more.
State = Literal["preparing", "changing", "switching", "done", "undoing", "undone", "failed", "forgotten"]
#: beside: built in the tree and switched to. in-place: changed where it is, with the tree as the copy from before.
#: inside: as in-place, and the tree is in the environment's own folder, which cannot be renamed.
Way = Literal["beside", "in-place", "inside"]
#: States in which a run was cut short, when nobody holds the lock.
UNFINISHED: tuple[State, ...] = ("preparing", "changing", "switching", "undoing")
PREFIX = ".gpudoctor-"
JOURNAL = ".journal.json"
#: Beside the journal; in the user's list where the change has no folder any more.
CONTENTS = ".contents"
#: In an environment; beside it, the environment's name comes first.
LOCK = ".gpudoctor.lock"
ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")


class Distribution(Fact, frozen=True, kw_only=True):
    """An installed distribution, exactly."""

    name: str
    version: str
    #: Where it came from, if not from an index, as pip freeze writes it; without credentials.
    direct_url: str | None = None
    #: SHA-256 of its RECORD, which holds the hashes of its files.
    record: str | None = None
    #: SHA-256 and address of the archive that it was installed from, where the installer said or wrote it down.
    archive: str | None = None
    url: str | None = None


class Change(Fact, frozen=True, kw_only=True):
    """One change of one environment."""

    id: str
    #: ISO 8601, UTC, to the microsecond: changes of one second keep their order.
    begun: str
    #: new: there was nothing. replaced: another environment took its place. changed: packages changed.
    kind: Literal["new", "replaced", "changed"]
    #: Absolute path of the environment's folder.
    environment: str
    state: State = "preparing"
    way: Way = "beside"
    #: As they were run, without credentials, with the environment's final path.
    commands: tuple[tuple[str, ...], ...] = ()
    before: tuple[Distribution, ...] = ()
    after: tuple[Distribution, ...] = ()
    #: inside: what was in the environment's folder.
    names: tuple[str, ...] = ()
    #: (device, inode) of the tree before the switch.
    staged: tuple[int, int] | None = None
    #: Frameworks that trained a network.
    proved: tuple[str, ...] = ()
    #: Folders above the environment that did not exist.
    made: tuple[str, ...] = ()
    #: Why it failed.
    reason: str | None = None

    @property
    def folder(self) -> str:
        """The folder of this change, beside the environment or in it."""
        where = self.environment if self.way == "inside" else os.path.dirname(self.environment)
        return os.path.join(where, f"{PREFIX}{self.id}")

    @property
    def tree(self) -> str:
        """See `State`."""
        return os.path.join(self.folder, os.path.basename(self.environment))

    @property
    def detour(self) -> str:
        """The piece of the tree's path that the environment's path does not have."""
        return f"{PREFIX}{self.id}{os.sep}"


def new_id() -> str:
    """An id that tells the second, for people."""
    return f"{datetime.now(timezone.utc):%Y%m%d-%H%M%S}-{os.urandom(2).hex()}"


def now() -> str:
    """The time, ISO 8601, UTC."""
    return datetime.now(timezone.utc).isoformat(timespec="microseconds")


def write(change: Change, **fields: object) -> Change:
    """The change with these fields, written to its folder (if that is there) and to the user's list."""
    change = structs.replace(change, **fields)
    raw = encode(change, indent=2) + b"\n"
    if os.path.isdir(change.folder):
        _put(os.path.join(change.folder, JOURNAL), raw)
    # The list is a convenience: a home that cannot be written does not keep anyone from installing. It outlives a loss
    # of power once the change is done: the folder of a new environment's change is deleted then.
    with suppress(OSError):
        os.makedirs(listing(), mode=0o700, exist_ok=True)
        _put(os.path.join(listing(), f"{change.id}.json"), raw, durable=change.state == "done")
    return change


def note_contents(change: Change, environment: Contents, tree: Contents) -> None:
    """Keep what was in both, so that what users write from now on can be told from it. Raises OSError."""
    _put(_contents(change), encoded(Manifest(environment=environment, tree=tree)))


def list_contents(change: Change) -> None:
    """Keep what was noted, if anything, in the user's list, as the change's folder is to be removed. Raises OSError."""
    with suppress(FileNotFoundError), open(_contents(change), "rb") as stream:
        _put(_listed_contents(change), stream.read())


def contents_of(change: Change) -> Manifest | None:
    """What was kept last; None: nothing."""
    return read_manifest(_contents(change)) or read_manifest(_listed_contents(change))


def _contents(change: Change) -> str:
    return os.path.join(change.folder, CONTENTS) if os.path.isdir(change.folder) else _listed_contents(change)


def _listed_contents(change: Change) -> str:
    return os.path.join(listing(), f"{change.id}{CONTENTS}")


def _put(path: str, raw: bytes, *, durable: bool = True) -> None:
    """Write a file whole or not at all. `durable`: on the disk when this returns."""
    beside = f"{path}.{os.getpid()}"
    with open(beside, "wb") as stream:
        stream.write(raw)
        stream.flush()
        if durable:
            os.fsync(stream.fileno())
    os.replace(beside, path)


def listing() -> str:
    """The folder of the user's list of changes."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
    else:
        base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(base, "gpudoctor", "changes")


def is_listed(change: Change) -> bool:
    """Whether it is in the user's list."""
    return os.path.isfile(os.path.join(listing(), f"{change.id}.json"))


def unlist(change: Change) -> None:
    """Take it off the user's list."""
    for end in (".json", CONTENTS):
        with suppress(OSError):
            os.unlink(os.path.join(listing(), f"{change.id}{end}"))


def load_changes(environment: str | None = None) -> tuple[Change, ...]:
    """The changes of the user's list and those beside `environment`, oldest first."""
    found: dict[str, Change] = {}
    for path in (*_listed(), *(_beside(environment) if environment else ())):
        change = _read(path)
        if change is not None:
            change = _read(os.path.join(change.folder, JOURNAL)) or _without_folder(change)
            found[change.id] = change
    every = sorted(found.values(), key=lambda change: (change.begun, change.id))
    return tuple(one for one in every if environment is None or one.environment == environment)


def _without_folder(change: Change) -> Change:
    """A change whose folder is gone can be neither finished nor undone, unless it was of a new environment."""
    if change.state in UNFINISHED and not os.path.isdir(change.folder):
        return structs.replace(change, state="failed", reason=change.reason or "it was cut short before it began")
    return change


def _listed() -> Iterable[str]:
    try:
        names = os.listdir(listing())
    except OSError:
        return ()
    return (os.path.join(listing(), name) for name in names if ID.fullmatch(name.removesuffix(".json")))


def _beside(environment: str) -> Iterator[str]:
    for folder in (os.path.dirname(environment), environment):
        with suppress(OSError):
            ours = (name for name in os.listdir(folder) if is_folder_of_change(name))
            yield from (os.path.join(folder, name, JOURNAL) for name in ours)


def is_folder_of_change(name: str) -> bool:
    """Whether a folder of this name is that of a change."""
    return name.startswith(PREFIX) and ID.fullmatch(name.removeprefix(PREFIX)) is not None


def _read(path: str) -> Change | None:
    try:
        with open(path, "rb") as stream:
            return decode(stream.read(), Change)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
