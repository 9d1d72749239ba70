"""A fleet's overview as JUnit XML: a test case a node, so that acceptance runs show which failed."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, tostring

from gpudoctor.fleet.overview import Overview, Trouble
from gpudoctor.fleet.words import group_label, headline, trouble_line
from gpudoctor.report.junit import safe


def render_fleet_junit(overview: Overview) -> str:
    """Errors are failures, nodes without an answer are errors; what is left is told beside a case that passes."""
    cases = [_case(one) for one in overview.worst]
    cases += list(_sound(overview))
    suite = Element("testsuite", name="gpudoctor fleet", tests=str(len(cases)))
    for outcome, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(1 for case in cases if case.find(outcome) is not None)))
    if overview.taken:
        suite.set("timestamp", overview.taken[0])
    suite.extend(cases)
    SubElement(suite, "system-out").text = safe(headline(overview))
    root = Element("testsuites")
    root.append(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _case(trouble: Trouble) -> Element:
    case = Element("testcase", classname="gpudoctor.fleet", name=safe(trouble.host))
    said = safe(trouble_line(trouble))
    if trouble.silent:
        SubElement(case, "error", message=said, type=trouble.silent)
    elif trouble.errors:
        SubElement(case, "failure", message=said, type="error")
    else:
        SubElement(case, "system-out").text = f"warning: {said}"
    return case


def _sound(overview: Overview) -> Iterator[Element]:
    """One case a group for its nodes of which there is nothing to tell: their names are in no other format either."""
    for group in overview.groups:
        yield Element(
            "testcase", classname="gpudoctor.fleet.group", name=safe(f"{group_label(group)}: {group.count:,} nodes")
        )
