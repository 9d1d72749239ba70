"""A pasted report of ours keeps its verdict."""

import re

import pytest
from msgspec import structs

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.triage import ticket_of
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.examine.tickets import Input, Unreadable, contents_of, subject_of
from gpudoctor.facts.report import Report
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.report.html import render_html
from gpudoctor.report.markdown import render_markdown
from gpudoctor.report.terminal import Style, render_terminal
from gpudoctor.report.view import view_of
from gpudoctor.rules.load import load_rules
from gpudoctor.tickets.own_report import parse_own_findings
from gpudoctor.tickets.read import ingest
from tests.cases.load import cases

CASES = {case.id: case for case in cases()}
SOME = sorted(CASES)[::9]


def _report(name: str) -> Report:
    snapshot, matrix = CASES[name].snapshot(), load_matrix()
    return report_of(snapshot, diagnose(snapshot, matrix, load_rules()), matrix=matrix)


def _texts(report: Report) -> dict[str, str]:
    view = view_of(report)
    terminal = render_terminal(view, Style(width=78))
    plain = re.sub("\x1b\\[[0-9;]*m", "", terminal)
    return {"terminal": terminal, "plain": plain, "markdown": render_markdown(view), "html": render_html(view)}


@pytest.mark.parametrize("name", SOME)
def test_the_first_cause_of_a_pasted_report_is_the_first_cause(name: str) -> None:
    report = _report(name)
    causes = [one for one in report.diagnosis.root_causes if one.severity != "info"]
    for form, text in _texts(report).items():
        made = ingest(text.encode(), load_matrix())
        seen = contents_of(made)
        assert list(dict.fromkeys(one.code for one in seen.told)) == list(dict.fromkeys(c.code for c in causes)), form
        judged = report_of(made.snapshot, diagnose(made.snapshot, load_matrix(), load_rules()), matrix=load_matrix())
        ticket = ticket_of("x", "text", judged, load_rules(), seen)
        if causes:
            assert ticket.named
            assert causes[0].name in [one.key for one in ticket.causes[:2]], (form, ticket.causes)


def test_the_screen_of_a_check_is_enough() -> None:
    text = b"error FRM003 arch-too-old-for-build\n  torch 2.13.0+cu130 has no code that runs on GPU 0.\n"
    assert subject_of(Input("x", text), load_matrix()).kind == "text"
    with pytest.raises(Unreadable):
        subject_of(Input("x", b"FRM003 happened\n"), load_matrix())


@pytest.mark.parametrize(
    "text",
    [
        "error: FRM003 happened",
        "an error FRM003 arch-too-old-for-build in prose",
        "error E501 line-too-long",
        "error FRM003",
    ],
)
def test_other_texts_name_no_finding(text: str) -> None:
    assert parse_own_findings(text) == ()


def test_a_finding_that_there_is_not_is_not_believed() -> None:
    made = ingest(b"error XYZ999 no-such-rule\n  It is broken.\n\nDriver Version: 550.54.14", load_matrix())
    seen = contents_of(made)
    assert [one.code for one in seen.told] == ["XYZ999"]
    report = report_of(structs.replace(made.snapshot), diagnose(made.snapshot, load_matrix(), load_rules()))
    assert "no-such-rule" not in [one.key for one in ticket_of("x", "text", report, load_rules(), seen).causes]
