"""What was not seen makes no failing machine healthy, and adds no error to what is found with all facts."""

from functools import cache

import pytest
from msgspec import structs

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.base import Gap
from gpudoctor.facts.snapshot import SECTIONS
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.cases.load import cases

#: Told with less knowledge of the same cause: who does not know the package or the machine still knows the build.
BROADER = {"torch-cpu-only", "torch-cpu-only-conda", "arch-too-new-for-build"}


def judged(snapshot):
    report = report_of(snapshot, diagnose(snapshot, load_matrix(), load_rules()), matrix=load_matrix())
    errors = [one for one in report.diagnosis.findings if one.severity == "error"]
    # What only a message names is its usual cause, and told as likely; who knows less can but go by that.
    return report.verdict, {one.name for one in errors}, {one.name for one in errors if not one.told}


@cache
def errors_of_all():
    return {case.id: judged(case.snapshot())[1] for case in cases()}


@cache
def found_in_all():
    """What is found with all facts. A fault below it can make it a warning: no program gets that far."""
    diagnoses = {case.id: diagnose(case.snapshot(), load_matrix(), load_rules()) for case in cases()}
    return {name: {one.name for one in diagnosis.findings} for name, diagnosis in diagnoses.items()}


@pytest.mark.parametrize("section", [name for name in SECTIONS if name != "live"])
def test_a_section_that_is_not_seen(section):
    wrong = []
    for case in cases():
        snapshot = case.snapshot()
        if isinstance(getattr(snapshot, section), Gap):
            continue
        errors = errors_of_all()[case.id]
        verdict, _, left = judged(structs.replace(snapshot, **{section: Gap(reason="not seen")}))
        if (errors and verdict in ("healthy", "no-gpu")) or left - found_in_all()[case.id] - BROADER:
            wrong.append((case.id, verdict, left - errors))
    assert wrong == []
