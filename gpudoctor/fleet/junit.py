"""Renders a fleet report as JUnit XML: a test case a node."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from gpudoctor.fleet.overview import Overview, Trouble
from gpudoctor.fleet.words import group_label, headline, trouble_line
from gpudoctor.report.junit import safe, suite_text


def render_fleet_junit(overview: Overview) -> str:
    """Errors are failures, nodes without an answer are errors; what is left is told beside a case that passes."""
    cases = [*(_case(one) for one in overview.worst), *_sound(overview)]
    return suite_text("gpudoctor fleet", cases, overview.taken[0] if overview.taken else None, headline(overview))


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
