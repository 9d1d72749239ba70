"""What every renderer gets."""

from typing import Literal

from gpudoctor.model.base import Fact
from gpudoctor.model.finding import Diagnosis
from gpudoctor.model.snapshot import Snapshot

#: healthy: everything needed was seen and nothing is wrong. no-gpu: fine, and there is no GPU. findings: something at
#: or above --fail-on. incomplete: nothing wrong seen, but something needed could not be looked at.
Verdict = Literal["healthy", "no-gpu", "findings", "incomplete"]


class Report(Fact, frozen=True, kw_only=True):
    """A snapshot, its diagnosis, and the verdict that the exit code states."""

    snapshot: Snapshot
    diagnosis: Diagnosis
    verdict: Verdict
    #: What stands in the way of a verdict, in words; filled when it is incomplete.
    unseen: tuple[str, ...] = ()
    matrix_edition: str | None = None
