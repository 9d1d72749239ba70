"""Reports of recorded failures in Chinese: sentences are translated; commands, codes and what programs print stay."""

import re
from collections.abc import Iterator

import pytest

from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.live import Live
from gpudoctor.language import chosen
from gpudoctor.language.catalogue import translator_of
from gpudoctor.language.drawn import drawn
from gpudoctor.language.wide import is_wide
from gpudoctor.report.html import report_html
from gpudoctor.report.terminal import Style, report_text
from gpudoctor.report.view import FindingView, view_of
from tests.cases.load import Case, cases, score

CHINESE = translator_of("zh")
#: Every fourth of them: a look at all takes a minute.
CASES = cases()[::4]
#: Two words of English in a row, which are no part of a path, an option, a command or what is quoted.
_PROSE = re.compile(r"(?<![\w./=-])[a-z]{2,} [a-z]{2,}(?![\w/=-]|\.\w)")
_VERBATIM = re.compile(
    r'"[^"]*"|`[^`]*`|\([^()]*\)|https?://\S+|(?<=: ).*\w+Error.*|(?<=: ).*(?: --?\w|[|$]).*|(?:pip|conda|gpudoctor|uv|'
    r"docker|podman|wsl|optirun|kill|sudo|nvidia-smi|NAME|nvidia-ctk|modprobe|systemctl|LD_\w+=\S*)\b[^,;.]*"
)


def sentences(finding: FindingView) -> Iterator[str]:
    """What gpudoctor says in it."""
    yield finding.summary
    yield from (fact for fact, _, _ in finding.evidence)
    for fix in finding.fixes:
        yield fix.title
        yield from (line for is_command, line in fix.commands if not is_command and not line.startswith("    "))


def in_english(text: str) -> bool:
    """Whether a sentence of ours is left as it was."""
    said = CHINESE.text(text)
    if ": " not in text and re.search(r" --?\w", text):
        return False
    return bool(_PROSE.search(_VERBATIM.sub("", text))) and not is_wide(said)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_report_is_chinese_and_its_commands_are_the_same(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    report = report_of(case.snapshot(), score(case).diagnosis)
    view, style = view_of(report), Style(width=80)
    findings = (*view.causes, *view.consequences, *view.notes)
    assert [text for one in findings for text in sentences(one) if in_english(text)] == []
    english = report_text(report, style)
    monkeypatch.setattr(chosen, "_translator", CHINESE)
    # As into a pipe: without the escapes that make commands bold.
    said = drawn(re.sub(r"\x1b\[[\d;]*m", "", report_text(report, style)), CHINESE)
    commands = [
        line
        for one in (*view.causes, *view.notes)
        for fix in one.fixes
        for is_command, line in fix.commands
        if is_command
    ]
    lines = [line.strip() for line in said.splitlines()]
    shown = [one for one in commands if one in english]
    assert [one for one in shown if one not in lines] == []
    assert set(re.findall(r"\b[A-Z]{3}\d{3}\b", english)) == set(re.findall(r"\b[A-Z]{3}\d{3}\b", said))
    page = chosen.page(report_html(report))
    assert '<html lang="zh-Hans">' in page
    assert re.findall(r"<code>.*?</code>", page) == re.findall(r"<code>.*?</code>", report_html(report))


def test_what_programs_printed_stays() -> None:
    lives = [live for case in cases() if isinstance(live := case.snapshot().live, Live)]
    printed = {symptom.text for live in lives for symptom in live.symptoms}
    assert len(printed) > 50
    assert [text for text in printed if CHINESE.text(text) != text] == []
