"""The verdict of a report, from the findings and the facts that were not seen."""

from gpudoctor.diagnosis.missing_facts import unseen_facts
from gpudoctor.facts.finding import SEVERITIES, Diagnosis, Severity
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.report import EXIT_CODES, Report, Verdict
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.inference.infer import infer
from gpudoctor.knowledge.matrix.query import Matrix


def report_of(
    snapshot: Snapshot,
    diagnosis: Diagnosis,
    *,
    fail_on: Severity = "error",
    not_run: tuple[str, ...] = (),
    matrix_edition: str | None = None,
    matrix: Matrix | None = None,
) -> Report:
    """The report of a diagnosed snapshot; `matrix` is what it was diagnosed with."""
    # What follows counts as it does for the rules; what was not seen stays unseen.
    whole = infer(snapshot, matrix) if matrix is not None else snapshot
    unseen = unseen_facts(snapshot, matrix)
    verdict = _verdict(whole, diagnosis, fail_on, unseen)
    return Report(
        verdict=verdict,
        exit_code=EXIT_CODES[verdict],
        fail_on=fail_on,
        unseen=unseen,
        not_run=not_run,
        matrix_edition=matrix.edition if matrix else matrix_edition,
        diagnosis=diagnosis,
        snapshot=snapshot,
    )


def _verdict(snapshot: Snapshot, diagnosis: Diagnosis, fail_on: Severity, unseen: tuple[str, ...]) -> Verdict:
    if diagnosis.crashed or (snapshot.doctor and snapshot.doctor.crashes):
        return "bug"
    grave = SEVERITIES.index(fail_on)
    if any(SEVERITIES.index(finding.severity) <= grave for finding in diagnosis.findings):
        return "findings"
    if unseen:
        return "incomplete"
    has_nvidia = isinstance(snapshot.gpus, Gpus) and bool(snapshot.gpus.nvidia)
    return "healthy" if has_nvidia else "no-gpu"
