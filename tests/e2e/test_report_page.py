"""The HTML report in a real browser: no error, no request, accessible, copyable, and deaf to hostile texts."""

import json
import shutil
from importlib import resources

import pytest

from gpudoctor.report.facts import fact_groups
from gpudoctor.report.html import render_html
from gpudoctor.report.tables import grids_of
from gpudoctor.report.view import view_of
from tests.report.hostile import hostile_report
from tests.report.test_shared_forms import SOME, _report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="there is no Chromium with its driver")

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


def _open(browser, folder, report):
    path = folder / "report.html"
    path.write_text(render_html(view_of(report), fact_groups(report.snapshot), grids_of(report)))
    for kind in ("browser", "performance"):
        browser.get_log(kind)  # what the page before said
    browser.get(path.as_uri())
    return path.as_uri()


def _requests(browser):
    entries = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [entry["params"]["request"]["url"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]
    return [url for url in urls if not url.startswith(("chrome", "data:"))]  # the browser's own start page


@pytest.mark.parametrize("name", SOME[:4])
def test_it_renders_without_errors_or_requests(browser, tmp_path, name):
    address = _open(browser, tmp_path, _report(name))
    assert browser.get_log("browser") == []
    assert _requests(browser) == [address]
    assert browser.find_element("tag name", "h1").is_displayed()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1000])
def test_it_is_accessible(browser, tmp_path, scheme, width):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    _open(browser, tmp_path, _report(SOME[1]))
    # Through the driver: the page's own policy lets run no script but the page's.
    axe = (resources.files("axe_core_python") / "axe.min.js").read_text()
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    browser.refresh()
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    browser.execute_script(axe)
    found = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_a_button_copies_its_command(browser, tmp_path):
    name = next(name for name in SOME if any(f.commands for c in view_of(_report(name)).causes for f in c.fixes))
    _open(browser, tmp_path, _report(name))
    browser.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    row = browser.find_element("css selector", ".command")
    row.find_element("tag name", "button").click()
    copied = browser.execute_async_script("navigator.clipboard.readText().then(arguments[arguments.length - 1])")
    assert copied == row.find_element("tag name", "code").get_attribute("textContent")
    assert row.find_element("tag name", "button").text == "Copied"


def test_hostile_texts_do_not_run(browser, tmp_path):
    address = _open(browser, tmp_path, hostile_report())
    assert browser.execute_script("return window.owned") is None
    assert _requests(browser) == [address]
    assert browser.get_log("browser") == []
