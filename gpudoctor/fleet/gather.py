"""Takes in records one by one and keeps a few hundred bytes of each for comparing nodes."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar, cast

import msgspec

from gpudoctor.fleet.overview import Unreadable
from gpudoctor.fleet.record import NodeFinding, NodeFix, NodeRecord, Why

#: Lines that could not be read, of which more than a count is kept.
_MOST_UNREADABLE = 100

T = TypeVar("T")
Fields = tuple[tuple[str, str], ...]
#: Severity, code and name of a finding.
Kind = tuple[str, str, str]


class Kept(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a node. The tuples and texts are shared by all nodes that have the same."""

    role: str | None
    gpu: str
    fields: Fields
    kinds: tuple[Kind, ...]
    fixes: tuple[int, ...]
    unseen: tuple[str, ...]
    metrics: tuple[tuple[str, str], ...]
    values: tuple[Sequence[float], ...]
    gpus: int
    when: float
    version: str | None
    healthy: bool
    #: Several lines named this node.
    again: bool = False


class FixKey(NamedTuple):
    """A fix, and the code of the finding that it is for."""

    code: str
    fix: NodeFix


class Gathered:
    """All nodes that were read. `name`: what a node is to be called in the report."""

    def __init__(self, name: Callable[[str], str] = str) -> None:
        self.nodes: dict[str, Kept] = {}
        self.silent: dict[str, tuple[Why, str]] = {}
        self.summaries: dict[Kind, str] = {}
        self.fixes: list[FixKey] = []
        self.unreadable: list[Unreadable] = []
        self.unreadable_count = 0
        #: Nodes whose only line could not be read.
        self.garbled: dict[str, str] = {}
        self._name = name
        self._shared: dict[object, object] = {}
        self._fix_numbers: dict[FixKey, int] = {}

    def take(self, records: Iterable[NodeRecord | Unreadable]) -> None:
        """Take in all of them; of several lines of one node the last holds, and an answer outdoes none."""
        for one in records:
            if isinstance(one, Unreadable):
                self._note(one)
            elif one.no_answer is not None:
                self.silent[self._name(one.host)] = (one.no_answer.why, one.no_answer.detail)
            else:
                host = self._name(one.host)
                self.nodes[host] = self._kept(one, again=host in self.nodes)
        for host in self.nodes:
            self.silent.pop(host, None)
            self.garbled.pop(host, None)

    def _note(self, line: Unreadable) -> None:
        self.unreadable_count += 1
        host = self._name(line.host) if line.host else None
        if host:
            self.garbled[host] = line.reason
        if len(self.unreadable) < _MOST_UNREADABLE:
            self.unreadable.append(msgspec.structs.replace(line, host=host))

    def _kept(self, record: NodeRecord, *, again: bool) -> Kept:
        causes = [one for one in record.findings if not one.because_of]
        return Kept(
            self._once(record.role),
            self._once(_model(record)),
            self._once(tuple(record.fingerprint.items())),
            self._once(tuple(map(self._kind, causes))),
            self._once(tuple(self._fix(one.code, one.fix) for one in causes if one.fix)),
            self._once(record.unseen),
            self._once(tuple((one.name, one.unit) for one in record.measured)),
            tuple(array("f", one.values) for one in record.measured),
            len(record.gpus),
            _seconds(record.time),
            self._once(record.gpudoctor),
            record.verdict in ("healthy", "no-gpu"),
            again,
        )

    def _kind(self, finding: NodeFinding) -> Kind:
        kind = (finding.severity, finding.code, finding.name)
        self.summaries.setdefault(kind, finding.summary)
        return kind

    def _fix(self, code: str, fix: NodeFix) -> int:
        key = FixKey(code, fix)
        if key not in self._fix_numbers:
            self._fix_numbers[key] = len(self.fixes)
            self.fixes.append(key)
        return self._fix_numbers[key]

    def _once(self, value: T) -> T:
        """The value that was kept before, where it is equal: a hundred thousand nodes share a few of them."""
        return cast("T", self._shared.setdefault(value, value))


def _model(record: NodeRecord) -> str:
    models = sorted({one.model or "unknown model" for one in record.gpus})
    if models:
        return ", ".join(models)
    return "no GPU" if record.fingerprint.get("GPUs") == "0" else "unknown GPU"


def _seconds(time: str | None) -> float:
    """Seconds since 1970 by the node's clock; 0 where it did not say, or what it said is no time."""
    try:
        return datetime.fromisoformat(time).timestamp() if time else 0.0
    except (ValueError, OverflowError, OSError):
        return 0.0
