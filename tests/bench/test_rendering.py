"""The page and the text of a measurement."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from msgspec import structs

from gpudoctor.facts.bench_report import BenchReport
from gpudoctor.facts.codec import decode
from gpudoctor.facts.finding import Evidence, Finding
from gpudoctor.facts.fix import Ask, Fix
from gpudoctor.report.bench_html import render_bench_html
from gpudoctor.report.bench_text import render_bench_text
from gpudoctor.report.json import render_json
from gpudoctor.report.terminal import Style
from tests.bench.reports import cpu_report, gpu_report, report_of
from tests.bench.timings import bench, gemm, noisy

FINDING = Finding(
    code="PRF014",
    name="bench-held-down",
    severity="warning",
    summary="It is <too> hot.",
    evidence=(Evidence(fact="temperature", value="93 C"),),
    fixes=(Fix(title="Cool it", safety="manual", steps=(Ask(text="Clean the fan."),)),),
)
FOLLOWS = structs.replace(FINDING, code="PRF010", because_of=("PRF014",))
REPORTS = {
    "gpu": gpu_report(findings=(FINDING, FOLLOWS)),
    "cpu": cpu_report(),
    "noisy": cpu_report(time=noisy),
    "nothing": report_of(bench(product=None), None),
    "one": report_of(bench(gemm(512, 0.1, "cpu"), product=None), None),
    "no samples": gpu_report(samples=()),
}


@pytest.fixture(params=REPORTS, ids=lambda name: name)
def report(request):
    return REPORTS[request.param]


def test_every_plot_is_well_formed_and_within_its_frame(report):
    for text in re.findall(r"<svg.*?</svg>", render_bench_html(report), re.DOTALL):
        root = ElementTree.fromstring(text)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for dot in root.iter("circle"):
            assert 0 <= float(dot.attrib["cx"]) <= width
            assert 0 <= float(dot.attrib["cy"]) <= height
        for bar in root.iter("rect"):
            assert float(bar.attrib["x"]) + float(bar.attrib["width"]) <= width


def test_the_page_is_alone(report):
    page = render_bench_html(report)
    assert not re.search(r"<script|<link|<img|@import|url\(|https?://", page)
    assert page.startswith("<!doctype html>")
    HTMLParser().feed(page)


def test_what_a_page_shows():
    page = render_bench_html(REPORTS["gpu"])
    for title in (
        "Product of n by n matrices, float32",
        "How many times as quick as the CPU, by batch size",
        "Reached, of what is possible",
        "Where the time of a training step goes",
        "The GPU while it was measured (gpu:0)",
    ):
        assert title in page
    assert "quicker from 256 on" in page
    assert "quicker from 512 on" in page
    assert page.count('class="mark ') == 2
    assert "stimated" not in page
    assert "It is &lt;too&gt; hot." in page
    assert "Example CPU &lt;16 cores&gt;" in page


def test_what_to_do_is_said_once():
    page, text = render_bench_html(REPORTS["gpu"]), render_bench_text(REPORTS["gpu"], Style())
    for shown in (page, text):
        assert shown.count("Fix: Clean the fan.") == 1
        assert "(because of PRF014)" in shown


def test_an_estimate_is_called_one_wherever_it_stands():
    page, text = render_bench_html(REPORTS["cpu"]), render_bench_text(REPORTS["cpu"], Style())
    assert "Estimated, not measured: times as quick as this CPU" in page
    assert "ESTIMATED, not measured" in text
    assert "How many times as quick as the CPU, by batch size" not in page


def test_noise_is_drawn_and_written():
    page, text = render_bench_html(REPORTS["noisy"]), render_bench_text(REPORTS["noisy"], Style())
    assert page.count(" hollow") > 10
    assert " ~" in text
    assert "~ too noisy to draw conclusions from" in text
    assert "Estimated" not in page


def test_text_keeps_its_width():
    for report in REPORTS.values():
        prose = render_bench_text(report, Style(width=60)).split("\n\n")[1]
        assert all(len(line) <= 60 for line in prose.splitlines())


def test_json_comes_back(report):
    assert decode(render_json(report), BenchReport) == report


def test_a_name_cannot_leave_its_place():
    hostile = structs.replace(REPORTS["gpu"], processor='"><script>alert(1)</script>')
    assert "<script" not in render_bench_html(hostile)
