"""The JSON line that one node reports. Its schema is public and versioned (`gpudoctor node --schema`)."""

from typing import Any, Literal

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Severity
from gpudoctor.facts.report import Verdict

RECORD_SCHEMA = 1

#: Why a node gave no answer.
Why = Literal[
    "refused",
    "unreachable",
    "unknown-host",
    "timed-out",
    "stuck",
    "crashed",
    "no-gpudoctor",
    "garbage",
    "drained",
    "busy",
    "not-started",
    "interrupted",
    "unknown",
]


class NodeFix(Fact, frozen=True, kw_only=True):
    """The best fix of a finding: its shell commands, and what only a person can do."""

    title: str
    commands: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    needs_root: bool = False
    needs_reboot: bool = False


class NodeFinding(Fact, frozen=True, kw_only=True):
    """A finding, cut down to what an operator of many nodes needs; the rest is `gpudoctor check` on that node."""

    code: str
    name: str
    severity: Severity
    summary: str
    subject: str | None = None
    #: Codes of the findings it follows from.
    because_of: tuple[str, ...] = ()
    fix: NodeFix | None = None


class NodeGpu(Fact, frozen=True, kw_only=True):
    """A GPU now. Degrees Celsius, watts, MHz; counters since the driver was loaded, remaps over its life."""

    index: int | None = None
    model: str | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    clock_sm_max_mhz: int | None = None
    ecc_uncorrected: int | None = None
    ecc_corrected: int | None = None
    rows_remapped: int | None = None
    nvlinks_active: int | None = None


class Measured(Fact, frozen=True, kw_only=True):
    """One measurement, a value for each GPU that was measured; more is better."""

    #: "bfloat16 product 8192", "memory copy"
    name: str
    #: TFLOP/s, GB/s
    unit: str
    values: tuple[float, ...]


class NoAnswer(Fact, frozen=True, kw_only=True):
    """Why there is no answer, as the one who asked saw it."""

    why: Why
    detail: str = ""


class NodeRecord(Fact, frozen=True, kw_only=True):
    """One node, once."""

    schema: int
    host: str
    #: What it is for: a partition, a node pool. Nodes are compared within a role.
    role: str | None = None
    #: UTC, ISO 8601; by the node's own clock.
    time: str | None = None
    gpudoctor: str | None = None
    #: Seconds that it took, from the start of the process.
    seconds: float | None = None
    verdict: Verdict | None = None
    #: What should be alike on nodes of a kind; a field that was not seen is not there. Most fundamental first.
    fingerprint: dict[str, str] = {}
    gpus: tuple[NodeGpu, ...] = ()
    findings: tuple[NodeFinding, ...] = ()
    #: Facts a verdict needs and that were not seen, in words.
    unseen: tuple[str, ...] = ()
    measured: tuple[Measured, ...] = ()
    #: In place of all else, where the node was asked and gave no answer.
    no_answer: NoAnswer | None = None


def json_schema() -> dict[str, Any]:
    """The public JSON Schema of a record."""
    return msgspec.json.schema(NodeRecord)
