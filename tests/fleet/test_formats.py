"""The formats of a fleet's overview: what monitors, acceptance runs and browsers read."""

import json
import shutil
import subprocess
import time
from xml.etree.ElementTree import fromstring

import pytest

from gpudoctor.fleet.html import render_fleet_html
from gpudoctor.fleet.junit import render_fleet_junit
from gpudoctor.fleet.openmetrics import render_openmetrics
from gpudoctor.fleet.record import NoAnswer
from tests.e2e.command import gpudoctor
from tests.e2e.test_report_page import CHROMIUM, DRIVER, _requests, browser  # noqa: F401 - fixture
from tests.fleet.nodes import fleet, ill, lines, merged, node

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


def mixed(sound: int = 20):
    records = [
        *fleet(sound), ill("bad1"), ill("w1", severity="warning"), node("x1", fields={"driver": HOSTILE}),
        node("gone1", no_answer=NoAnswer(why="timed-out", detail=HOSTILE)),
    ]  # fmt: skip
    records += [node(f"m{number}", rate=3000.0) for number in range(9)] + [node("slow1", rate=1000.0)]
    return merged(records, expected=(*(one.host for one in records), "gone2"))


def metrics(text: str) -> dict[str, float]:
    rows = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name.removeprefix("gpudoctor_fleet_"): float(value) for name, _, value in rows}


def test_openmetrics_are_few_and_right() -> None:
    text = render_openmetrics(mixed())
    found = metrics(text)
    assert text.endswith("# EOF\n")
    assert found['nodes{state="expected"}'] == 35
    assert found['nodes{state="silent"}'] == 2
    assert found['finding_nodes{code="DRV001",severity="error"}'] == 1
    assert found['slow_gpus{metric="memory"}'] == 1
    assert found['drifted_nodes{field="driver"}'] == 1
    assert found["run_timestamp_seconds"] == 1795384800
    assert len(found) == len(metrics(render_openmetrics(mixed(2000))))
    assert "bad1" not in text


@pytest.mark.skipif(not shutil.which("promtool"), reason="there is no promtool")
@pytest.mark.parametrize("overview", [merged([]), merged(fleet(3)), mixed()])
def test_promtool_finds_nothing(overview) -> None:
    text = render_openmetrics(overview)
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_junit_counts() -> None:
    suite = fromstring(render_fleet_junit(mixed())).find("testsuite")
    assert suite is not None
    assert (suite.get("failures"), suite.get("errors")) == ("1", "2")
    failed = [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None]
    assert failed == ["bad1"]


def test_text_does_not_become_markup() -> None:
    page = render_fleet_html(mixed())
    assert "<script>alert" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize("form", ["html", "junit"])
def test_names_of_nodes_are_replaced_in_what_is_shared(tmp_path, form) -> None:
    records = [
        *fleet(3),
        ill("secretnode7"),
        node("othernode3", no_answer=NoAnswer(why="refused", detail="secretnode7 said")),
    ]
    (tmp_path / "run.jsonl").write_bytes(lines(records))
    plain = gpudoctor("fleet", "merge", "run.jsonl", "--format", form, "--expect", "n[1-3],lostnode9", cwd=tmp_path)
    assert plain.returncode == 1
    for name in ("secretnode7", "othernode3", "lostnode9"):
        assert name not in plain.out
    assert "node00000" in plain.out
    kept = gpudoctor("fleet", "merge", "run.jsonl", "--format", form, "--keep", "hostnames", cwd=tmp_path)
    assert "secretnode7" in kept.out
    refused = gpudoctor("fleet", "merge", "run.jsonl", "--format", form, "--playbook", "p.yml", cwd=tmp_path)
    assert refused.returncode == 2


def test_the_file_is_replaced_in_one_rename(tmp_path) -> None:
    (tmp_path / "run.jsonl").write_bytes(lines(fleet(2)))
    (tmp_path / "gpus.prom").write_text("old")
    before = (tmp_path / "gpus.prom").stat().st_ino
    done = gpudoctor("fleet", "merge", "run.jsonl", "--format", "openmetrics", "-o", "gpus.prom", cwd=tmp_path)
    assert done.returncode == 0, done.err
    assert (tmp_path / "gpus.prom").stat().st_ino != before
    assert (tmp_path / "gpus.prom").stat().st_mode & 0o444 == 0o444
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gpus.prom", "run.jsonl"]


def test_json_says_its_schema(tmp_path) -> None:
    (tmp_path / "run.jsonl").write_bytes(lines(fleet(2)))
    done = gpudoctor("fleet", "merge", "run.jsonl", "--format", "json", cwd=tmp_path)
    assert json.loads(done.out)["schema"] == 1


@pytest.mark.timed
@pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="there is no Chromium with its driver")
def test_ten_thousand_nodes_in_a_browser(browser, tmp_path) -> None:  # noqa: F811
    """Drawn and answering within 2 s, without a request, even where something is wrong with every third node."""
    records = [
        ill(f"gpu{number:05}")
        if number % 3 == 0
        else node(f"gpu{number:05}", fields={"kernel": f"6.{number % 40}" if number % 2500 == 1 else "6.8.0"})
        for number in range(10_000)
    ]
    path = tmp_path / "fleet.html"
    path.write_text(render_fleet_html(merged(records)))
    browser.get_log("performance")
    began = time.monotonic()
    browser.get(path.as_uri())
    first = browser.find_element("css selector", "details")
    browser.execute_script("arguments[0].open = true; return arguments[0].getBoundingClientRect().height", first)
    assert first.find_element("css selector", "li").is_displayed()
    assert time.monotonic() - began <= 2
    assert _requests(browser) == [path.as_uri()]
    assert browser.get_log("browser") == []
