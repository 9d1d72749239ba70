"""Judgements: what a rule says (Problem), what the engine stamps (Finding), and all of it (Diagnosis)."""

from typing import Literal

from gpudoctor.facts.base import Fact, Gap, Source
from gpudoctor.facts.fix import Fix

Severity = Literal["error", "warning", "info"]
Confidence = Literal["certain", "likely", "possible"]

#: Worst first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Evidence(Fact, frozen=True, kw_only=True):
    """A fact a judgement rests on, with its value as a reader would see it."""

    fact: str
    value: str
    source: Source | None = None


class Problem(Fact, frozen=True, kw_only=True):
    """What a rule found. The engine adds who said it and how grave it is."""

    #: What is wrong, in one sentence a beginner understands.
    summary: str
    #: What it is about, where there may be several: "GPU 1", "tensorflow 2.20.0".
    subject: str | None = None
    confidence: Confidence = "certain"
    evidence: tuple[Evidence, ...] = ()
    #: Names of the rules whose findings follow from this one.
    explains: tuple[str, ...] = ()
    #: Names of the rules that are the root cause of this, where they fired with at least its gravity, and about the
    #: same framework where both name one: TensorFlow sees no GPU because libcudnn is missing.
    follows_from: tuple[str, ...] = ()
    #: Those of them that a message which was met points to: where they fired, they did this harm and have its gravity.
    points_to: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    #: Only where it differs from the rule's own severity.
    severity: Severity | None = None


class Finding(Fact, frozen=True, kw_only=True):
    """A Problem stamped by the engine."""

    code: str
    name: str
    severity: Severity
    summary: str
    subject: str | None = None
    confidence: Confidence = "certain"
    #: Only a message that somebody pasted shows it; the facts do not.
    told: bool = False
    evidence: tuple[Evidence, ...] = ()
    explains: tuple[str, ...] = ()
    follows_from: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    #: Codes of the findings this one follows from; empty for a root cause.
    because_of: tuple[str, ...] = ()


class Skipped(Fact, frozen=True, kw_only=True):
    """A rule that could not judge, and what it could not see."""

    code: str
    gap: Gap


class Crash(Fact, frozen=True, kw_only=True):
    """A rule that raised: our bug."""

    code: str
    traceback: str


class Diagnosis(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """Everything the rules said. Findings are ordered: root causes first, from the hardware up."""

    findings: tuple[Finding, ...] = ()
    clean: tuple[str, ...] = ()
    not_applicable: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    crashed: tuple[Crash, ...] = ()

    @property
    def root_causes(self) -> tuple[Finding, ...]:
        """Findings that follow from no other."""
        return tuple(finding for finding in self.findings if not finding.because_of)
