"""On machines where something is wrong, its cause comes first, with the remedy, and nothing false beside it."""

import re
from functools import cache

import pytest
from msgspec.structs import replace

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.base import Gap
from gpudoctor.facts.report import Report
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.probes.take import take_snapshot
from gpudoctor.report.commands import step_lines
from gpudoctor.rules.load import load_rules
from tests.cases.test_unseen import BROADER
from tests.machines.broken import BROKEN

#: Broken so that no program gets to the GPU.
FAILING = [name for name, one in BROKEN.items() if one.severity == "error"]


def judged(snapshot: Snapshot) -> Report:
    return report_of(snapshot, diagnose(snapshot, load_matrix(), load_rules()), matrix=load_matrix())


@cache
def look(name: str) -> Report:
    return judged(take_snapshot(RecordedHost.of(BROKEN[name].machine)))


@pytest.mark.parametrize("name", BROKEN)
def test_the_cause_comes_first(name: str) -> None:
    one, diagnosis = BROKEN[name], look(name).diagnosis
    assert not diagnosis.crashed, diagnosis.crashed
    graver = [finding for finding in diagnosis.root_causes if finding.severity != "info"]
    found = diagnosis.root_causes if one.severity == "info" else graver
    named = [finding for finding in found if finding.name == one.cause]
    assert named, [finding.name for finding in diagnosis.findings]
    assert one.severity == "info" or found[0] is named[0], [finding.name for finding in found]
    assert named[0].severity == one.severity
    assert {finding.name for finding in graver if finding.severity == "error"} <= {one.cause, *one.also}
    said = "\n".join(line for fix in named[0].fixes for step in fix.steps for line in (fix.title, *step_lines(step)))
    assert re.search(one.remedy, said), said


@pytest.mark.parametrize("name", FAILING)
def test_it_is_not_called_healthy(name: str) -> None:
    assert look(name).verdict == "findings"


@pytest.mark.parametrize("section", [name for name in SECTIONS if name != "live"])
def test_a_section_that_is_not_seen(section: str) -> None:
    """What was not seen makes it neither healthy nor ill of something else."""
    wrong = []
    for name in FAILING:
        whole = look(name)
        if isinstance(getattr(whole.snapshot, section), Gap):
            continue
        report = judged(replace(whole.snapshot, **{section: Gap(reason="not seen")}))
        known = {finding.name for finding in whole.diagnosis.findings} | BROADER | {*BROKEN[name].also}
        new = {one.name for one in report.diagnosis.findings if one.severity == "error" and not one.told} - known
        if report.verdict in ("healthy", "no-gpu") or new:
            wrong.append((name, report.verdict, new))
    assert wrong == []


def test_every_thread_is_named_once() -> None:
    threads = [one.thread for one in BROKEN.values()]
    assert len(set(threads)) == len(threads)
    assert all(one.story and one.thread.startswith("https://") for one in BROKEN.values())
