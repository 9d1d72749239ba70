"""The report as data: the snapshot, its diagnosis, the verdict and the exit code."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Diagnosis, Severity
from gpudoctor.facts.plan import Plan
from gpudoctor.facts.snapshot import Snapshot

REPORT_SCHEMA = 1

#: healthy: everything needed was seen and nothing is wrong. no-gpu: fine, and there is no NVIDIA GPU. findings:
#: something at or above --fail-on. incomplete: nothing wrong seen, but something needed could not be looked at.
#: bug: a rule or probe of gpudoctor itself failed, so its verdict is missing.
Verdict = Literal["healthy", "no-gpu", "findings", "incomplete", "bug"]

EXIT_CODES: dict[Verdict, int] = {"healthy": 0, "no-gpu": 0, "findings": 1, "incomplete": 3, "bug": 4}


class Report(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """A snapshot, its diagnosis, and the verdict that the exit code states."""

    schema: int = REPORT_SCHEMA
    verdict: Verdict
    exit_code: int
    #: Findings at or above this severity make the verdict "findings".
    fail_on: Severity = "error"
    #: Facts a verdict needs and that were not seen, in words.
    unseen: tuple[str, ...] = ()
    #: Rules left out by --select and --ignore, by code.
    not_run: tuple[str, ...] = ()
    matrix_edition: str | None = None
    diagnosis: Diagnosis
    snapshot: Snapshot
    #: The fixes of all findings, merged. None: not asked for.
    plan: Plan | None = None
