"""What to run on each node of a fleet, as a shell command."""

import shlex
from typing import Literal

from gpudoctor.facts.base import Fact

Mode = Literal["static", "smoke", "bench"]

#: Seconds on top of the budget for reaching a node, starting Python there, and the answer's way back.
GRACE = 20.0


class Request(Fact, frozen=True, kw_only=True):
    """What is asked of every node."""

    mode: Mode = "static"
    #: Seconds that a node may take.
    budget: float = 30.0
    role: str | None = None
    #: How gpudoctor is called there: "gpudoctor", or "/opt/doctor/bin/gpudoctor".
    command: str = "gpudoctor"
    #: A single-file gpudoctor that is sent along, and the Python that runs it there.
    pyz: str | None = None
    python: str = "python3"
    #: The interpreter to examine there.
    examine: str | None = None
    #: Nodes begin at a moment of their own within this many seconds: they read gpudoctor from one file server.
    jitter: int = 0
    #: For ssh, as a shell would read them.
    ssh_options: str = ""
    #: How many are asked at the same time.
    fanout: int = 64

    @property
    def deadline(self) -> float:
        """Seconds after which a node is no longer waited for."""
        return self.budget + GRACE + self.jitter

    def arguments(self) -> list[str]:
        """The arguments of gpudoctor."""
        role = ["--role", self.role] if self.role else []
        examine = ["--python", self.examine] if self.examine else []
        mode = [] if self.mode == "static" else [f"--{self.mode}"]
        return ["node", "--budget", f"{self.budget:g}s", *mode, *role, *examine]

    def shell(self, name: str | None = None) -> str:
        """The command for the node's shell. It ends with 0 where there is an answer, whatever the answer says."""
        arguments = shlex.join(self.arguments())
        called = f"{self.command} {arguments}"
        if self.pyz:
            # Sent on standard input: a node needs no file server for it, and nothing of it stays.
            called = (
                f'f=$(mktemp) && cat >"$f" && {shlex.quote(self.python)} "$f" {arguments}; r=$?; rm -f "$f"; (exit $r)'
            )
        wait = f"sleep $(($$ % {self.jitter + 1})); " if self.jitter else ""
        named = f"export GPUDOCTOR_NODE={shlex.quote(name)}; " if name else ""
        return f"{named}{wait}{called}; r=$?; [ $r -le 4 ] && exit 0; exit $r"


class Launch(Fact, frozen=True, kw_only=True):
    """One command that asks some nodes. `argv` runs here; None: `shell` runs on each node through SSH."""

    nodes: tuple[str, ...]
    shell: str
    argv: tuple[str, ...] | None = None
    deadline: float
