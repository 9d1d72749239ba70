"""Exit codes and output lines of `gpudoctor node` for Nagios, node-problem-detector or a Slurm prolog.

default: as every command of gpudoctor. nagios: 0 OK, 1 warning, 2 critical, 3 unknown, and a line with performance data
(assets.nagios.com, Nagios Core, Plugin API). npd: 0 healthy, 1 a problem, 2 unknown, and at most 80 characters
(github.com/kubernetes/node-problem-detector, docs/custom_plugin_monitor.md). gate: 1 for an error, else 0: a Slurm
prolog that ends with anything but 0 drains the node and requeues the job (slurm.schedmd.com/prolog_epilog.html).
"""

from typing import Literal, NamedTuple

from gpudoctor.facts.report import EXIT_CODES
from gpudoctor.fleet.record import NodeRecord

Style = Literal["default", "nagios", "npd", "gate"]
Level = Literal["ok", "warning", "critical", "unknown"]

_NPD_CHARACTERS = 80
_NAGIOS = {"ok": 0, "warning": 1, "critical": 2, "unknown": 3}
_NPD = {"ok": 0, "warning": 0, "critical": 1, "unknown": 2}


class Said(NamedTuple):
    """The exit code, and the line on standard output in place of the record; None: the record itself."""

    code: int
    line: str | None


def level_of(record: NodeRecord) -> Level:
    """The worst that is known of the node."""
    severities = {one.severity for one in record.findings}
    if "error" in severities:
        return "critical"
    if record.verdict in ("incomplete", "bug", None):
        return "unknown"
    return "warning" if "warning" in severities else "ok"


def said(record: NodeRecord, style: Style, *, strict: bool = False) -> Said:
    """What to tell a caller of that style. `strict`: a gate is closed, too, where something was not seen."""
    level = level_of(record)
    if style == "gate":
        return Said(int(level == "critical" or (strict and level == "unknown")), None)
    if style == "nagios":
        return Said(_NAGIOS[level], f"GPU {level.upper()} - {headline(record)} | {_performance(record)}")
    if style == "npd":
        return Said(_NPD[level], _shortened(headline(record), _NPD_CHARACTERS))
    return Said(EXIT_CODES[record.verdict] if record.verdict else 3, None)


def headline(record: NodeRecord) -> str:
    """The worst finding in one line, or that there is none."""
    causes = [one for one in record.findings if not one.because_of and one.severity != "info"]
    worst = min(causes, key=lambda one: one.severity == "warning", default=None)
    if worst is not None:
        more = f" (and {len(causes) - 1} more)" if len(causes) > 1 else ""
        return f"{worst.code} {worst.summary}{more}".replace("|", "/").replace("\n", " ")
    if record.unseen:
        return f"not seen: {', '.join(record.unseen)}".replace("|", "/").replace("\n", " ")
    return f"{len(record.gpus)} GPUs, no problem found" if record.gpus else "no GPU, no problem found"


def _performance(record: NodeRecord) -> str:
    errors = sum(one.severity == "error" for one in record.findings)
    warnings = sum(one.severity == "warning" for one in record.findings)
    return f"gpus={len(record.gpus)} errors={errors} warnings={warnings} time={record.seconds or 0:.3f}s"


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
