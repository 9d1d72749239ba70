"""Markdown, HTML, JUnit and annotations: the same verdict in all, and hostile texts stay texts."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import click
import pytest

from gpudoctor.cli.main import cli
from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.report import Report
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.report.facts import fact_groups
from gpudoctor.report.formats import FORMATS, OWN, renderer
from gpudoctor.report.github import render_github
from gpudoctor.report.html import render_fragment, render_html
from gpudoctor.report.junit import render_junit
from gpudoctor.report.markdown import LIMIT, render_markdown
from gpudoctor.report.terminal import Style, render_terminal
from gpudoctor.report.view import view_of
from gpudoctor.rules.load import load_rules
from tests.cases.load import cases
from tests.report.hostile import hostile_report

CASES = {case.id: case for case in cases()}
SOME = sorted(CASES)[::8]


def _report(name: str) -> Report:
    snapshot, matrix = CASES[name].snapshot(), load_matrix()
    return report_of(snapshot, diagnose(snapshot, matrix, load_rules()), matrix=matrix)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s\\]+", "", text)


@pytest.mark.parametrize("name", SOME)
def test_every_form_words_the_same_verdict(name: str) -> None:
    report = _report(name)
    view = view_of(report)
    terminal = _squeezed(re.sub("\x1b\\[[0-9;]*m", "", render_terminal(view, Style(width=100))))
    markdown = _squeezed(render_markdown(view, fact_groups(report.snapshot)))
    html = _squeezed(_Text.of(render_html(view, fact_groups(report.snapshot))))
    for text in (view.headline, *(finding.summary for finding in (*view.causes, *view.notes))):
        for form in (terminal, markdown, html):
            assert _squeezed(text) in form.replace("\u200b", "")
    for finding in view.causes:
        for fix in finding.fixes:
            for is_command, line in fix.commands:
                if is_command:
                    assert all(_squeezed(line) in form for form in (terminal, markdown, html))


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    @classmethod
    def of(cls, page: str) -> str:
        parser = cls()
        parser.feed(page)
        return "".join(parser.texts)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.mark.parametrize("draw", [render_html, render_fragment])
def test_no_text_becomes_markup(draw) -> None:
    report = hostile_report()
    page = draw(view_of(report), fact_groups(report.snapshot)) if draw is render_html else draw(view_of(report))
    parser = _Text()
    parser.feed(page)
    tags = [tag for tag, _ in parser.tags]
    assert tags.count("script") == (1 if draw is render_html else 0)
    assert tags.count("style") == 1
    assert not {"img", "svg", "a", "iframe", "link"} & set(tags)
    assert not [name for _, attributes in parser.tags for name in attributes if name.startswith("on")]
    assert "http://203.0.113.1/x.png" in "".join(parser.texts)


@pytest.mark.parametrize("form", [form for form in FORMATS["check"] if form not in OWN])
def test_a_registered_format_is_offered_and_takes_every_text(form: str) -> None:
    text = renderer("check", form)(hostile_report())
    assert text.endswith("\n") or form == "html"
    assert "\x1b" not in text


@pytest.mark.parametrize(("report", "form"), [(report, form) for report, row in FORMATS.items() for form in row])
def test_each_registered_format_has_its_function(report: str, form: str) -> None:
    assert callable(renderer(report, form))


@pytest.mark.parametrize("report", FORMATS)
def test_a_command_offers_the_formats_of_its_report(report: str) -> None:
    found: click.Command | None = cli
    words = report.split()
    for word in words:
        if word.islower() and not word.startswith("-"):
            assert isinstance(found, click.Group)
            found = found.get_command(click.Context(found), word)
    assert found is not None
    offered = [tuple(one.type.choices) for one in found.params if one.name == "form"]  # type: ignore[attr-defined]
    if words[-1].startswith("-"):  # An option makes another report of it, in some of its formats; install has --json.
        assert all(set(FORMATS[report]) <= set(one) for one in offered)
    else:
        assert offered == [tuple(FORMATS[report])]


def test_no_text_ends_a_block_of_markdown() -> None:
    report = hostile_report()
    text = render_markdown(view_of(report), fact_groups(report.snapshot))
    fence, outside = "", []
    for line in text.splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif match := re.match("`{3,}", line):
            fence = match.group()
        else:
            outside.append(re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    assert not fence
    left = "\n".join(outside)
    assert not re.search(r"(?<!\\)<(?!/?details>|/?summary>|details><summary>)[a-z/]", left)
    assert not re.search(r"^# owned", left, re.MULTILINE)
    assert not re.search(r"(?<!\\)\]\(", left)
    assert "@everyone" not in left
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_an_issue_takes_the_report() -> None:
    report = hostile_report()
    groups = fact_groups(report.snapshot) * 40
    text = render_markdown(view_of(report), groups)
    assert len(text) <= LIMIT + 1000
    assert "Left out" in text


def test_junit_is_xml_that_counts_right() -> None:
    report = hostile_report()
    suite = ElementTree.fromstring(render_junit(report).partition("\n")[2]).find("testsuite")
    assert suite is not None
    assert suite.get("failures") == str(len(suite.findall("testcase/failure"))) == "1"
    assert suite.get("skipped") == str(len(suite.findall("testcase/skipped"))) == "1"
    assert suite.get("tests") == str(len(suite.findall("testcase")))


def test_annotations_are_one_line_each() -> None:
    lines = render_github(view_of(hostile_report())).splitlines()
    assert [line.partition(" ")[0] for line in lines[:2]] == ["::error", "::notice"]
    assert all(line.startswith("::") for line in lines[:-1])
    assert not lines[-1].startswith("::")
    assert len(lines) == 3


@pytest.mark.parametrize(("fail_on", "failures"), [("error", 1), ("warning", 2), ("info", 3)])
def test_what_fails_in_junit_is_what_the_user_says(fail_on, failures) -> None:
    from msgspec import structs

    report = structs.replace(hostile_report(), fail_on=fail_on)
    suite = ElementTree.fromstring(render_junit(report).partition("\n")[2]).find("testsuite")
    assert suite is not None
    assert suite.get("failures") == str(failures)
