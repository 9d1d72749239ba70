"""The recording of a machine as one JSON file: files, links, programs and command outputs."""

from typing import Literal

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.facts.system import Space
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.host.port import Ran, Stat


class Piece(Fact, frozen=True, kw_only=True):
    """A part of a file that is not recorded whole."""

    offset: int
    data: bytes


class Command(Fact, frozen=True, kw_only=True):
    """A `Ran` with its output as text; `binary` is standard output that is not UTF-8 (base64 in JSON)."""

    argv: tuple[str, ...]
    outcome: Literal["exited", "signalled", "timed-out", "abandoned", "not-started"] = "exited"
    code: int | None = None
    signal: str | None = None
    stdout: str = ""
    stderr: str = ""
    binary: bytes | None = None
    truncated: bool = False
    seconds: float = 0.0
    state: str | None = None
    wchan: str | None = None
    reason: str | None = None

    @classmethod
    def of(cls, ran: Ran) -> "Command":
        """The recorded form of `ran`."""
        text = as_text(ran.stdout)
        return cls(
            **{name: getattr(ran, name) for name in _SAME},
            stdout=text or "",
            binary=ran.stdout if text is None else None,
            stderr=ran.stderr.decode("utf-8", "replace"),
        )

    def ran(self) -> Ran:
        """How the child ended, as the port says it."""
        stdout = self.stdout.encode() if self.binary is None else self.binary
        return Ran(**{name: getattr(self, name) for name in _SAME}, stdout=stdout, stderr=self.stderr.encode())


_SAME = ("argv", "outcome", "code", "signal", "truncated", "seconds", "state", "wchan", "reason")


class Machine(Fact, frozen=True, kw_only=True):
    """Answers by path, by program and by command. Directories follow from the paths; what is not here is not there."""

    #: linux, win32, darwin.
    platform: str = "linux"
    cwd: str = "/"
    env: dict[str, str] = {}
    files: dict[str, str] = {}
    #: Files that are not UTF-8 (base64 in JSON).
    binaries: dict[str, bytes] = {}
    pieces: dict[str, tuple[Piece, ...]] = {}
    #: Why a path could not be read or listed.
    gaps: dict[str, str] = {}
    #: Target text of symbolic links.
    links: dict[str, str] = {}
    #: Names in a directory, added to those that follow from the other paths.
    directories: dict[str, tuple[str, ...]] = {}
    stats: dict[str, Stat] = {}
    #: Room by path.
    spaces: dict[str, Space] = {}
    #: errno's name for what cannot be opened at all, or not for writing.
    unopenable: dict[str, str] = {}
    unwritable: dict[str, str] = {}
    #: What PATH gives for a name, where it is not one of the files here.
    programs: dict[str, str] = {}
    commands: tuple[Command, ...] = ()


def load_machine(raw: bytes) -> Machine:
    """The machine in a JSON file's bytes. Raises msgspec.DecodeError (a ValueError) with the path of the bad field."""
    return decode_json(raw, type=Machine)


def dump_machine(machine: Machine) -> bytes:
    """JSON, indented, in a stable order."""
    raw = msgspec.json.encode(machine, order="deterministic")
    return msgspec.json.format(raw, indent=1) + b"\n"


def as_text(raw: bytes) -> str | None:
    """`raw` as text if it is UTF-8 that survives the way there and back."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
