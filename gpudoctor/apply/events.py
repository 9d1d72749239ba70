"""What a run tells while it goes on: one JSON object a line with `--json`, sentences otherwise."""

from typing import Any, Literal

import msgspec

from gpudoctor.model.base import Fact
from gpudoctor.model.plan import InstallPlan

#: How a run ended, and the exit code for it.
Outcome = Literal["installed-and-proved", "installed-not-proved", "refused", "failed-and-rolled-back", "interrupted"]
EXIT_CODES: dict[Outcome, int] = {
    "installed-and-proved": 0,
    "installed-not-proved": 5,
    "refused": 6,
    "failed-and-rolled-back": 7,
    "interrupted": 130,
}


class Event(Fact, frozen=True, kw_only=True, omit_defaults=False, tag_field="event", tag=str.lower):
    """Something happened. `seconds` since the run began."""

    seconds: float = 0.0


class Planned(Event, frozen=True, kw_only=True):
    """What is going to be done, before anyone is asked."""

    plan: InstallPlan


class Started(Event, frozen=True, kw_only=True):
    """Work begins. `id` is what `undo` is given."""

    id: str
    environment: str
    kind: Literal["new", "replaced", "changed"]


class Mended(Event, frozen=True, kw_only=True):
    """An earlier run on this environment had been cut short; what it left was put right."""

    id: str
    how: str


class Stepped(Event, frozen=True, kw_only=True):
    """A command begins. Paths are those that it has after the switch."""

    argv: tuple[str, ...]
    number: int
    of: int


class Output(Event, frozen=True, kw_only=True):
    """A line of an installer, without credentials."""

    text: str


class Progress(Event, frozen=True, kw_only=True):
    """A command is still at work."""

    #: Less free space than at the start of the command, MiB: what was downloaded and unpacked, about.
    written_mib: int | None = None


class Verified(Event, frozen=True, kw_only=True):
    """The installer's own dry run agreed, with the user's own index settings."""

    by: str
    installs: tuple[str, ...]
    #: Bytes to download, where the index says; None: not known.
    download_bytes: int | None = None


class Room(Event, frozen=True, kw_only=True):
    """Space of a file system that will be written to, bytes."""

    path: str
    free: int
    needed: int


class Proved(Event, frozen=True, kw_only=True):
    """What came of training a small network. outcome unproved: there is no test for it, or it could not run."""

    framework: str
    outcome: Literal["passed", "failed", "unproved"]
    detail: str = ""
    devices: tuple[str, ...] = ()


class Switched(Event, frozen=True, kw_only=True):
    """The environment is in place."""

    environment: str


class Checked(Event, frozen=True, kw_only=True):
    """The environment after `fix --apply`, looked at again: findings by code and sentence."""

    cured: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()


class Finished(Event, frozen=True, kw_only=True):
    """The last event of an environment."""

    outcome: Outcome
    exit_code: int
    #: What is different: "+ torch 2.13.0", "numpy 1.26.4 -> 2.4.6".
    changes: tuple[str, ...] = ()
    #: Why nothing was changed, or nothing remains of it.
    reason: str | None = None
    #: For `gpudoctor undo`; None where nothing was changed.
    id: str | None = None


AnyEvent = (
    Planned | Started | Mended | Stepped | Output | Progress | Room | Verified | Proved | Switched | Checked | Finished
)


def events_schema() -> dict[str, Any]:
    """The JSON Schema of one line."""
    return msgspec.json.schema(AnyEvent)
