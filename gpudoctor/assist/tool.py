"""One MCP tool as data: name, input and output types, what it may change. Knows nothing of the protocol."""

import hashlib
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from gpudoctor.assist.folders import Folders
from gpudoctor.assist.quoting import Quoting
from gpudoctor.cli.redact_output import door
from gpudoctor.facts.base import Fact

#: Asks the user a question; None: nobody can be asked.
Ask = Callable[[str], Awaitable[bool | None]]


class Takes(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The arguments of a tool. What is not among them is refused by name."""


class Elsewhere(Takes, frozen=True, kw_only=True):
    """A machine that a call describes. What is not given is not judged."""

    gpu: Annotated[
        tuple[str, ...], Meta(description="Names ('RTX 4090'), PCI ids or compute capabilities ('8.9').")
    ] = ()
    driver: Annotated[str | None, Meta(description="The driver's release: 535, 580.65.06.")] = None
    python: Annotated[str | None, Meta(description="A version, as in 3.12.")] = None
    os: Literal["linux", "windows", "macos"] | None = None
    arch: str | None = None
    glibc: Annotated[str | None, Meta(description="The C library of a Linux system: 2.35, or musl.")] = None
    macos: Annotated[str | None, Meta(description="The release of macOS: 14.5.")] = None


class Short(Fact, frozen=True, kw_only=True):
    """An answer in a batch: 400 characters at most, all of them together."""

    verdict: str
    command: str | None = None
    because: str | None = None
    sure: str | None = None


class CannotAnswer(Exception):
    """The call cannot be answered; the message says why and what to do. What is from outside is quoted in it."""


class Session:
    """What the tools of one connection share."""

    def __init__(self, folders: Folders, *, may_change: bool = False) -> None:
        self.folders = folders
        self.may_change = may_change
        self._shown: set[str] = set()

    def quoting(self) -> Quoting:
        """For one result: its pseudonyms are its own."""
        return Quoting(door())

    def note_dry_run(self, *what: object) -> str:
        """Note that this change was shown; the ticket with which it may be carried out."""
        ticket = _digest(what)
        self._shown.add(ticket)
        return ticket

    def was_shown(self, ticket: str | None, *what: object) -> bool:
        """Whether just this change was shown before, and is not carried out yet."""
        return ticket == _digest(what) and ticket in self._shown

    def take_dry_run(self, ticket: str | None, *what: object) -> bool:
        """The same; once."""
        shown = self.was_shown(ticket, *what)
        self._shown.discard(ticket or "")
        return shown


def _digest(what: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(what).encode("utf-8", "surrogateescape")).hexdigest()[:12]


class Tool(NamedTuple):
    """One tool."""

    name: str
    title: str
    about: str
    takes: type[Takes]
    gives: type[Fact]
    #: (arguments, session) in a worker thread; (arguments, session, progress) where it runs a process.
    run: Callable[..., Any]
    #: In a process of its own.
    is_process: bool = False
    reads_only: bool = True
    destroys: bool = False
    #: Reaches a package index.
    is_open: bool = False
    #: What the user is asked before it runs; None: nothing. Raises CannotAnswer where it would not run anyhow.
    asks: Callable[[Any, Session], str | None] = lambda _, __: None
    short: Callable[[Any], Short] | None = None
    #: Seconds.
    deadline: float = 60.0


def schema_of(kind: type) -> dict[str, Any]:
    """The JSON Schema of a type, with an object at its root as the protocol wants it."""
    (root,), defined = msgspec.json.schema_components((kind,), ref_template="#/$defs/{name}")
    name = str(root["$ref"]).rpartition("/")[2]
    shape = defined.pop(name)
    return {**shape, "$defs": defined} if defined else shape
