"""The matrix as a page, in a real browser: it answers as `matrix fit` does, shows every table, and is accessible."""

import time
from importlib import resources

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.tables import ALL_TABLES
from gpudoctor.report.fit_table import SYSTEMS
from gpudoctor.report.matrix_page import matrix_page
from tests.e2e.matrix_choices import answer_of_fit, choices
from tests.e2e.test_report_page import _requests, browser, pytestmark  # noqa: F401 - a fixture and a mark

#: The Arm system has all kinds of GPUs, Jetson's too; with all systems the page takes a minute to make.
FEW = ("linux-aarch64", "macos-arm64")


def _made(folder, platforms):
    path = folder / "matrix.html"
    path.write_text(matrix_page(load_matrix(), platforms))
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return _made(tmp_path_factory.mktemp("page"), FEW)


@pytest.fixture
def opened(browser, page):  # noqa: F811
    for kind in ("browser", "performance"):
        browser.get_log(kind)  # what the page before said
    browser.get("about:blank")
    browser.get(page.as_uri())
    return browser


def _different(browser, count, platforms):  # noqa: F811
    matrix = load_matrix()
    asked = list(choices(matrix, count, platforms, seed=2026))
    answers = browser.execute_script("return arguments[0].map((one) => answerTo(one).blocks)", asked)
    return [(one, got) for one, got in zip(asked, answers, strict=True) if got != answer_of_fit(one, matrix)]


def test_it_answers_as_fit_does(opened):
    assert _different(opened, 300, FEW) == []


@pytest.mark.full
def test_it_answers_as_fit_does_on_every_system(browser, tmp_path):  # noqa: F811
    browser.get(_made(tmp_path, SYSTEMS).as_uri())
    assert _different(browser, 2000, tuple(SYSTEMS)) == []


def test_it_asks_nothing_of_a_network_and_says_no_error(opened, page):
    opened.execute_script("return tables.length")
    assert opened.get_log("browser") == []
    assert _requests(opened) == [page.as_uri()]


def test_a_choice_shows_its_command(opened):
    opened.find_element("id", "gpu").send_keys("h100 pcie")
    opened.find_element("id", "driver").send_keys("580.82.07")
    shown = opened.find_element("css selector", "#answer code").get_attribute("textContent")
    choice = {"system": "linux-aarch64", "gpu": "H100 PCIe", "driver": "580.82.07", "python": "3.12"}
    choice["wish"] = opened.find_element("id", "wish").get_attribute("value")
    assert ["c", shown] in [line for block in answer_of_fit(choice, load_matrix()) for line in block]


@pytest.mark.parametrize(
    ("gpu", "driver", "says"),
    [
        ("RTX", "", "GPUs are called so"),
        ("Voodoo 2", "", "No GPU"),
        ("H200", "5x", "no driver"),
        ("H200", "999", "no branch"),
    ],
)
def test_what_is_not_known_is_said(opened, gpu, driver, says):
    opened.find_element("id", "gpu").send_keys(gpu)
    opened.find_element("id", "driver").send_keys(driver)
    assert says in opened.find_element("id", "answer").text
    assert not opened.find_elements("css selector", "#answer code")


def test_every_table_can_be_searched(opened):
    names = opened.execute_script("return tables.map((one) => one.name.split(':')[0])")
    assert set(names) == {name for name in ALL_TABLES if load_matrix().table(name)}
    opened.find_element("id", "search").send_keys("bitsandbytes")
    rows = opened.find_elements("css selector", "#rows tbody tr")
    assert rows
    assert all("bitsandbytes" in row.text for row in rows)
    assert opened.execute_script("return at('table').selectedOptions[0].text").startswith("extensions")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_it_is_accessible(opened, page, scheme, width):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    # Through the driver: the page's own policy lets run no script but the page's.
    opened.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    opened.get("about:blank")
    opened.get(page.as_uri() + "#gpu=H200&driver=570.86")
    opened.execute_script((resources.files("axe_core_python") / "axe.min.js").read_text())
    found = opened.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    opened.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    assert opened.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.timed
def test_it_opens_within_a_second(browser, page):  # noqa: F811
    began = time.monotonic()
    browser.get(page.as_uri())
    assert browser.find_element("id", "answer").text
    assert time.monotonic() - began < 1
