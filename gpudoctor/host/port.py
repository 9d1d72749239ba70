"""The Host interface: every question asked of a machine. Never raises: refused is a Gap, absent is None."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, Protocol

from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.system import Space

if TYPE_CHECKING:
    from gpudoctor.host.watch import Watch

#: Files are read up to this many bytes unless the caller says otherwise.
READ_LIMIT = 4 * 1024 * 1024


class Stat(Fact, frozen=True, kw_only=True):
    """What stat(2) says, names resolved. `kind` of the thing behind the link."""

    kind: Literal["file", "directory", "character", "block", "other"]
    size: int = 0
    mode: int = 0
    owner: str | None = None
    group: str | None = None
    #: Modification time, seconds since the epoch.
    modified: float = 0.0


class Ran(Fact, frozen=True, kw_only=True):
    """How a child process ended.

    exited: `code` is its exit status. signalled: `signal` names it (SIGSEGV, SIGILL, SIGABRT, SIGBUS, SIGKILL …).
    timed-out: it was killed at its deadline. abandoned: it could not be killed; `state` D is uninterruptible sleep and
    `wchan` the kernel function it sleeps in. not-started: there is no such program, or it may not be run.
    """

    argv: tuple[str, ...]
    outcome: Literal["exited", "signalled", "timed-out", "abandoned", "not-started"]
    code: int | None = None
    signal: str | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    #: Output went past the cap and was cut (the child is stopped then).
    truncated: bool = False
    #: It took more memory than it was allowed, and was stopped.
    overgrown: bool = False
    seconds: float = 0.0
    state: str | None = None
    wchan: str | None = None
    #: Why it was not started.
    reason: str | None = None

    @property
    def ok(self) -> bool:
        """It ran to its end and reported success."""
        return self.outcome == "exited" and self.code == 0

    @property
    def text(self) -> str:
        """Standard output as text; bytes that are not UTF-8 are replaced."""
        return self.stdout.decode("utf-8", "replace")

    def describe(self) -> str:
        """How it ended, in words: "was killed by SIGSEGV (segmentation fault)"."""
        if self.outcome == "exited":
            return f"ended with exit code {self.code}"
        if self.outcome == "signalled" and self.truncated:
            return "printed too much and was stopped"
        if self.outcome == "signalled" and self.overgrown:
            return "took too much memory and was stopped"
        if self.outcome == "signalled":
            return f"was killed by {self.signal}"
        if self.outcome == "timed-out":
            return f"did not answer within {self.seconds:.1f} s and was stopped"
        if self.outcome == "abandoned":
            asleep = f" (uninterruptible sleep in {self.wchan or 'the kernel'})" if self.state == "D" else ""
            return f"did not answer within {self.seconds:.1f} s and could not be killed{asleep}"
        return f"could not be started: {self.reason}"


class Host(Protocol):
    """A machine, real or recorded. Paths are absolute, as the machine writes them."""

    #: linux, win32, darwin: as sys.platform.
    platform: str
    env: Mapping[str, str]
    cwd: str

    @property
    def library_path(self) -> tuple[str, ...]:
        """The folders of LD_LIBRARY_PATH as written, each once; on the real machine those only that are there."""
        ...

    def read(self, path: str, *, limit: int = READ_LIMIT) -> bytes | Gap | None:
        """The first `limit` bytes of a file; None where there is none."""
        ...

    def read_text(self, path: str, *, limit: int = READ_LIMIT) -> str | Gap | None:
        """`read`, decoded as UTF-8 with replacement, NUL bytes kept."""
        ...

    def read_range(self, path: str, offset: int, size: int) -> bytes | Gap | None:
        """`size` bytes at `offset` (fewer at the end of the file)."""
        ...

    def list(self, path: str) -> tuple[str, ...] | Gap | None:
        """The sorted names in a directory; None where there is none."""
        ...

    def stat(self, path: str) -> Stat | Gap | None:
        """What is at `path`, links followed; None where nothing is (a dangling link included)."""
        ...

    def link(self, path: str) -> str | None:
        """The target text of a symbolic link; None where it is none."""
        ...

    def real(self, path: str) -> str:
        """`path` with all links resolved, as far as it exists."""
        ...

    def openable(self, path: str, *, write: bool = False) -> str | None:
        """None if a device node or file lets us in, else the errno's name (EACCES, EPERM …).

        A device that lets us in is not opened: that could load its driver or wake a GPU.
        """
        ...

    def space(self, path: str) -> Space | Gap | None:
        """Total and free bytes of the file system that holds `path` (statvfs); None where `path` is not there."""
        ...

    def which(self, name: str) -> str | None:
        """The file PATH gives for `name`; it is not run."""
        ...

    def tool(self, name: str) -> str | None:
        """`name` in the system's own directories (never PATH, which the inspected environment may have changed)."""
        ...

    def run(
        self,
        argv: tuple[str, ...],
        *,
        timeout: float,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        cap: int = 1024 * 1024,
        watch: "Watch | None" = None,
    ) -> Ran:
        """Run a child to its end or its deadline (seconds). `env` replaces the environment, None inherits it.

        `watch` sees what it says and how it grows while it runs, and can stop it.
        """
        ...
