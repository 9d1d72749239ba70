"""The data of a fleet report. Node sets are folded texts: gpu[001-004,017]. Its JSON form is versioned."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Severity
from gpudoctor.fleet.record import NodeFix, Why

OVERVIEW_SCHEMA = 1


class Nodes(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """A set of nodes."""

    count: int
    names: str


class Silent(Fact, frozen=True, kw_only=True):
    """Nodes that were expected and gave no answer, for one reason."""

    why: Why
    detail: str = ""
    nodes: Nodes


class FleetFinding(Fact, frozen=True, kw_only=True):
    """A finding of several nodes; `summary` is that of the first of them."""

    code: str
    name: str
    severity: Severity
    summary: str
    nodes: Nodes


class Group(Fact, frozen=True, kw_only=True):
    """Nodes that are compared with one another: of one role, with one model of GPU."""

    role: str | None = None
    gpu: str
    count: int


class Difference(Fact, frozen=True, kw_only=True):
    """A field in which nodes differ from the rest of their group, or from the golden node."""

    field: str
    value: str | None
    usual: str


class Drift(Fact, frozen=True, kw_only=True):
    """Nodes that differ from the rest in the same way. The first difference is the most fundamental one."""

    group: Group
    differences: tuple[Difference, ...]
    nodes: Nodes
    #: How many nodes of the group have the usual value of the first difference; None: it is the golden node's.
    usual_on: int | None = None


class Varied(Fact, frozen=True, kw_only=True):
    """A field that most nodes of a group do not agree in, so that no value of it is usual."""

    group: Group
    field: str
    values: int
    #: The most frequent values, each with its nodes.
    most: tuple[tuple[str, Nodes], ...] = ()


class Slow(Fact, frozen=True, kw_only=True):
    """A GPU below the others of its kind. `limit`: the share below the median that is still normal here."""

    host: str
    gpu: int
    metric: str
    unit: str
    value: float
    median: float
    limit: float
    severity: Severity
    #: How many GPUs were compared.
    of: int

    @property
    def below(self) -> float:
        """The share below the median: 0.1 is a tenth slower."""
        return 1 - self.value / self.median if self.median else 0.0


class Unreadable(Fact, frozen=True, kw_only=True):
    """A line that is no record; `host` where the name of the node could still be read."""

    where: str
    reason: str
    host: str | None = None


class Noted(Fact, frozen=True, kw_only=True):
    """Something odd about the input, that left the rest usable: duplicates, clocks, old versions, unexpected nodes."""

    what: Literal["duplicate", "clock", "older", "unexpected", "bad-name", "small-group", "empty", "golden", "earlier"]
    text: str
    nodes: Nodes | None = None


class Trouble(Fact, frozen=True, kw_only=True):
    """One node with all that is wrong with it, for the list that begins with the worst."""

    host: str
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    silent: Why | None = None
    differs: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()
    #: In how many of the earlier runs it had an error or gave no answer.
    earlier: int = 0


class FleetStep(Fact, frozen=True, kw_only=True):
    """One change for a set of nodes."""

    title: str
    nodes: Nodes
    codes: tuple[str, ...] = ()
    fix: NodeFix


class Overview(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """What is known of all nodes together."""

    schema: int = OVERVIEW_SCHEMA
    gpudoctor: str
    #: None: nobody said which nodes there should be.
    expected: int | None
    answered: int
    healthy: int
    gpus: int
    groups: tuple[Group, ...] = ()
    silent: tuple[Silent, ...] = ()
    findings: tuple[FleetFinding, ...] = ()
    unseen: tuple[tuple[str, Nodes], ...] = ()
    drift: tuple[Drift, ...] = ()
    varied: tuple[Varied, ...] = ()
    slow: tuple[Slow, ...] = ()
    #: Nodes with anything above a note, worst first.
    worst: tuple[Trouble, ...] = ()
    plan: tuple[FleetStep, ...] = ()
    #: The first of them, and how many there are.
    unreadable: tuple[Unreadable, ...] = ()
    unreadable_count: int = 0
    noted: tuple[Noted, ...] = ()
    #: The earliest and the latest time that a node stated, ISO 8601; those of clocks that are days off left out.
    taken: tuple[str, str] | None = None

    @property
    def silent_count(self) -> int:
        """Nodes that gave no answer."""
        return sum(one.nodes.count for one in self.silent)

    def has(self, severity: Severity) -> bool:
        """Whether there is a finding of that severity. No answer is an error; drift is a warning."""
        found = {one.severity for one in self.findings} | {one.severity for one in self.slow}
        found |= {"error"} if self.silent else set()
        found |= {"warning"} if self.drift or self.unreadable_count else set()
        return severity in found
