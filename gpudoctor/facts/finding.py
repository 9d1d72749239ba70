"""The data of a diagnosis: what a rule found (Problem), the ranked Finding, and all of them (Diagnosis)."""

from typing import Literal

from gpudoctor.facts.base import Fact, Gap, Source
from gpudoctor.facts.fix import Fix
from gpudoctor.facts.live import Symptom

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
    #: Effects that follow from its cause as a rule (knowledge/causes.toml), and do not follow here.
    not_leading_to: tuple[str, ...] = ()
    #: The messages in which it shows: their causes are causes of this.
    symptoms: tuple[Symptom, ...] = ()
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
    #: Names of the findings that follow from this one, near and far.
    explains: tuple[str, ...] = ()
    #: Names of the causes that its messages name.
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
