"""Progress events of an installation: one JSON object a line with `--json`, sentences otherwise."""

import time
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.facts.plan import InstallPlan

#: How a run ended, and the exit code for it. installed: there is no framework that could be proved.
Outcome = Literal[
    "installed",
    "installed-and-proved",
    "installed-not-proved",
    "refused",
    "failed-and-rolled-back",
    "interrupted",
    "dry-run",
    "nothing-to-do",
]
EXIT_CODES: dict[Outcome, int] = {
    "installed": 0,
    "installed-and-proved": 0,
    "installed-not-proved": 5,
    "refused": 6,
    "failed-and-rolled-back": 7,
    "interrupted": 130,
    "dry-run": 0,
    "nothing-to-do": 0,
}


class Event(Fact, frozen=True, kw_only=True, omit_defaults=False, tag_field="event", tag=str.lower):
    """Something happened. `seconds` since the run began."""

    seconds: float = 0.0


class Planned(Event, frozen=True, kw_only=True):
    """What is going to be done, before anyone is asked."""

    plan: InstallPlan


class Changes(Event, frozen=True, kw_only=True):
    """What would be different in the environment: "numpy 1.26.4 -> 2.4.6"; and whose requirements would be unmet."""

    changes: tuple[str, ...]
    breaks: tuple[str, ...] = ()


class Started(Event, frozen=True, kw_only=True):
    """Work begins. `id` is what `undo` is given."""

    id: str
    environment: str
    kind: Literal["new", "replaced", "changed"]
    #: Built beside its place and put there once it is proved; or changed where it is, with a copy to go back to.
    way: Literal["beside", "in-place", "inside"] = "beside"


class Mended(Event, frozen=True, kw_only=True):
    """An earlier run on this environment had been cut short; what it left was put right."""

    id: str
    how: str


class Copying(Event, frozen=True, kw_only=True):
    """The environment is copied, so that there is a way back; large files share their bytes with the original."""

    of_bytes: int


class Stepped(Event, frozen=True, kw_only=True):
    """A command begins. Paths are those that it has after the switch."""

    argv: tuple[str, ...]
    number: int
    of: int


class Asked(Event, frozen=True, kw_only=True):
    """The installer is asked what it would do; that may take minutes where an index says little of its packages."""

    by: str


class Output(Event, frozen=True, kw_only=True):
    """A line of an installer, without credentials."""

    text: str


class Progress(Event, frozen=True, kw_only=True):
    """A command, or the copying, is still at work."""

    #: MiB of files that the environment has more than at the start of the command.
    written_mib: int | None = None
    #: Bytes of the file that is being downloaded, or of all that is copied, and how many of them are there; None where
    #: that is not said.
    of_bytes: int | None = None
    done_bytes: int | None = None


class Verified(Event, frozen=True, kw_only=True):
    """The installer's own dry run agreed, with the user's own index settings."""

    by: str
    installs: tuple[str, ...]
    #: False: it did not say what it would install; a pip older than 22.2 has no dry run.
    says: bool = True
    #: Bytes to download, at most (an installer has a cache); None: the size of one or more files is not known.
    download_bytes: int | None = None
    #: Bytes of the archives whose size is known, and how many there are of which it is not.
    known_bytes: int = 0
    unknown_sizes: int = 0
    #: How many of the packages are not in the installer's cache; None: it does not say.
    to_download: int | None = None
    #: Seconds that it took.
    took: float = 0.0


class Room(Event, frozen=True, kw_only=True):
    """Space of a file system that will be written to, bytes. `needed` is an estimate, on the safe side."""

    path: str
    free: int
    needed: int


class Proving(Event, frozen=True, kw_only=True):
    """All is installed; a small network is trained with each framework."""


class Proved(Event, frozen=True, kw_only=True):
    """What came of training a small network. outcome unproved: there is no test for it, or it could not run."""

    framework: str
    outcome: Literal["passed", "failed", "unproved"]
    detail: str = ""
    devices: tuple[str, ...] = ()
    #: Seconds that its run took.
    took: float | None = None


class Switched(Event, frozen=True, kw_only=True):
    """The environment is in place."""

    environment: str


class Beside(Fact, frozen=True, kw_only=True):
    """A file of the user in whose place the packages have something else, and where it is now."""

    path: str
    beside: str


class Carried(Event, frozen=True, kw_only=True):
    """Files that no package owns went along when the environment changed places. Paths are relative to it."""

    environment: str
    #: How many were brought over or removed as the user had done, and the first of them.
    files: int = 0
    paths: tuple[str, ...] = ()
    #: What could not be put where it was.
    kept: tuple[Beside, ...] = ()
    #: A folder of files of which nobody knows whether they are the user's or half of a package: an installer was ended.
    unsorted: str | None = None


class User(Fact, frozen=True, kw_only=True):
    """A process that uses an environment."""

    pid: int
    name: str
    #: In words.
    how: str


class InUse(Event, frozen=True, kw_only=True):
    """Processes use the environment that is going to be changed: they go on with what they have loaded."""

    environment: str
    users: tuple[User, ...]


class Left(Event, frozen=True, kw_only=True):
    """What was to be removed stays until these processes do not work in it any more; the next change removes it."""

    path: str
    of_bytes: int
    users: tuple[User, ...] = ()


class Removing(Event, frozen=True, kw_only=True):
    """What was kept of a change is removed; its environment is in place and can be used."""

    path: str
    of_bytes: int


class Checked(Event, frozen=True, kw_only=True):
    """The environment after `fix --apply`, looked at again: findings by code and sentence."""

    cured: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()


class Finished(Event, frozen=True, kw_only=True):
    """The last event of an environment; or of a run that ended before it came to one.

    dry-run: the installer agreed, or was not asked. nothing-to-do: no step was for gpudoctor to carry out.
    """

    outcome: Outcome
    #: That of the run where it came to no environment: 2 usage, 3 could not examine.
    exit_code: int
    #: What is different: "+ torch 2.13.0", "numpy 1.26.4 -> 2.4.6".
    changes: tuple[str, ...] = ()
    #: Why nothing was changed, or nothing remains of it.
    reason: str | None = None
    #: It was refused because a package index did not answer.
    unreachable: bool = False
    #: For `gpudoctor undo`; None where nothing was changed.
    id: str | None = None


AnyEvent = (
    Planned
    | Changes
    | Started
    | Mended
    | Copying
    | Stepped
    | Asked
    | Output
    | Progress
    | Room
    | Verified
    | Proving
    | Proved
    | Switched
    | Carried
    | Removing
    | InUse
    | Left
    | Checked
    | Finished
)


def events_schema() -> dict[str, Any]:
    """The JSON Schema of one line."""
    return msgspec.json.schema(AnyEvent)


Tell = Callable[[Event], None]


def silent(_: Event) -> None:
    """Tells nobody."""


def progress(whole: int, tell: Tell) -> Callable[[int], None]:
    """Takes the bytes that were done, and tells about once a second how many of all that is."""
    done, told = 0, time.monotonic()

    def tick(size: int) -> None:
        nonlocal done, told
        done += size
        if time.monotonic() - told >= 1.0:
            told = time.monotonic()
            tell(Progress(done_bytes=min(done, whole), of_bytes=whole))

    return tick
