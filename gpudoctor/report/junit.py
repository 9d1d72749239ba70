"""Renders the report as JUnit XML: a test case for each rule that judged or could not."""

from xml.etree.ElementTree import Element, SubElement, tostring

from gpudoctor.facts.finding import SEVERITIES, Finding
from gpudoctor.facts.report import Report
from gpudoctor.report.commands import visible

#: XML 1.0 has no place for these, not even escaped.
_FORBIDDEN = dict.fromkeys((*range(55296, 57344), 65534, 65535), "�")


def render_junit(report: Report) -> str:
    """Findings at or above --fail-on are failures; facts that a verdict needs and that were not seen are errors."""
    diagnosis = report.diagnosis
    cases = [_finding(finding, _is_grave(finding, report)) for finding in diagnosis.findings]
    cases += [_case(code) for code in diagnosis.clean]
    cases += [_told(skip.code, "skipped", skip.gap.reason) for skip in diagnosis.skipped]
    cases += [_told(crash.code, "error", crash.traceback) for crash in diagnosis.crashed]
    if report.verdict == "incomplete":
        cases += [_told("verdict", "error", fact) for fact in report.unseen]
    return suite_text("gpudoctor", cases, report.snapshot.taken_at)


def suite_text(name: str, cases: list[Element], taken_at: str | None, out: str | None = None) -> str:
    """The document: one suite of these cases."""
    suite = Element("testsuite", name=name, tests=str(len(cases)))
    for outcome, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(1 for case in cases if case.find(outcome) is not None)))
    if taken_at:
        suite.set("timestamp", safe(taken_at))
    suite.extend(cases)
    if out is not None:
        SubElement(suite, "system-out").text = safe(out)
    root = Element("testsuites")
    root.append(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _is_grave(finding: Finding, report: Report) -> bool:
    return SEVERITIES.index(finding.severity) <= SEVERITIES.index(report.fail_on)


def _finding(finding: Finding, is_grave: bool) -> Element:
    case = _case(finding.code, finding.name)
    text = "\n".join([finding.summary, *(f"{one.fact}: {one.value}" for one in finding.evidence)])
    if is_grave:
        failure = SubElement(case, "failure", message=safe(finding.summary), type=finding.severity)
        failure.text = safe(text)
    else:
        SubElement(case, "system-out").text = safe(f"{finding.severity}: {text}")
    return case


def _told(code: str, outcome: str, reason: str) -> Element:
    case = _case(code)
    SubElement(case, outcome, message=safe(reason.strip().rpartition("\n")[2])).text = safe(reason)
    return case


def _case(code: str, name: str = "") -> Element:
    return Element("testcase", classname=f"gpudoctor.{code[:3]}", name=f"{code} {name}".strip())


def safe(text: str) -> str:
    """The text as XML can hold it."""
    return "\n".join(visible(line) for line in text.split("\n")).translate(_FORBIDDEN)
