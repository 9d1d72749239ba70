"""Looks at the healthy machines, and says what was wrongly found."""

from functools import cache

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.report import Report
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.probes.take import take_snapshot
from gpudoctor.rules.load import load_rules
from tests.machines.healthy import HEALTHY


@cache
def look(name: str) -> Report:
    """What gpudoctor says of the machine of that name, with all probes."""
    snapshot = take_snapshot(RecordedHost.of(HEALTHY[name].machine))
    matrix = load_matrix()
    return report_of(snapshot, diagnose(snapshot, matrix, load_rules()), matrix=matrix)


def healthy_lines() -> list[str]:
    """The table of false findings: how many machines, errors, warnings and infos, then what was said wrongly."""
    reports = {name: look(name) for name in HEALTHY}
    found = [(name, finding) for name, report in reports.items() for finding in report.diagnosis.findings]
    counts = {severity: sum(one.severity == severity for _, one in found) for severity in ("error", "warning", "info")}
    other = [name for name, report in reports.items() if report.verdict != HEALTHY[name].verdict]
    graver = f"errors {counts['error']}, warnings {counts['warning']}"
    notes = f"infos {counts['info']} ({counts['info'] / len(reports):.2f} a machine)"
    lines = [f"healthy machines: {len(reports)}; {graver}, {notes}, other verdicts {len(other)}"]
    lines += [f"  {name}: {one.severity} {one.name}: {one.summary}" for name, one in found if one.severity != "info"]
    lines += [f"  {name}: {reports[name].verdict} {'; '.join(reports[name].unseen)}" for name in other]
    return lines
