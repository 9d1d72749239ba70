"""The table of reports and output formats, with the function that renders each.

A function gets the report, and in a terminal a `Style` too; it returns text or bytes, or parts of them one by one. It
is imported when it is asked for, so that a check at a terminal pays for no page. Formats other than those of the user's
own machine (OWN) are read by others: what `gpudoctor.cli.show` writes in them has passed `gpudoctor.redact`.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

#: Formats for the user of this machine, in which nothing but credentials is taken out.
OWN = ("terminal", "json")

#: By report, which is called as the command that makes it, and by the word of `--format`: "module:function".
FORMATS: dict[str, dict[str, str]] = {
    "check": {
        "terminal": "terminal:report_text",
        "json": "json:render_json",
        "markdown": "markdown:report_markdown",
        "html": "html:report_html",
        "junit": "junit:render_junit",
        "github": "github:report_github",
    },
    "triage": {
        "terminal": "triage:render_tickets_terminal",
        "json": "triage:render_tickets_json",
        "markdown": "triage_markdown:render_tickets_markdown",
        "html": "triage_html:render_tickets_html",
    },
    "advise": {
        "terminal": "advice_text:render_advice",
        "json": "json:render_json",
        "html": "advice_html:render_advice_html",
    },
    "bench": {"terminal": "bench_text:render_bench_text", "json": "json:render_json"},
    "check --dockerfile": {
        "terminal": "mistakes:mistakes_text",
        "json": "json:render_json",
        "github": "mistakes:mistakes_github",
    },
    "devices": {"terminal": "live:devices_text", "json": "live_json:render_devices"},
    "diff": {"terminal": "diff:render_diff", "json": "json:render_json"},
    "explain": {"terminal": "explanation:render_explanation", "json": "json:render_json"},
    "explain CODE": {"terminal": "rules:manual_text", "json": "rules:manual_json"},
    "fleet merge": {
        "terminal": "fleet.terminal:render_fleet",
        "html": "fleet.html:render_fleet_html",
        "json": "json:render_json",
        "openmetrics": "fleet.openmetrics:render_openmetrics",
        "junit": "fleet.junit:render_fleet_junit",
    },
    "fix": {"terminal": "plan_text:fix_text", "json": "json:render_json"},
    "install --container": {"terminal": "container_text:container_text", "json": "json:render_json"},
    "look-up": {"terminal": "look_up_text:look_up_text", "json": "json:render_json"},
    "matrix": {"terminal": "matrix_tables:sheets_page", "json": "matrix_tables:sheets_json"},
    "matrix fit": {"terminal": "fit_text:fit_text", "json": "json:render_json"},
    "matrix status": {"terminal": "matrix_editions:status_text", "json": "json:render_json"},
    "matrix update": {"terminal": "matrix_editions:update_text", "json": "json:render_json"},
    "matrix verify": {"terminal": "verification:verification_text", "json": "verification:verification_json"},
    "plan": {
        "terminal": "install_plan:terminal",
        "json": "install_plan:json",
        "shell": "install_plan:shell",
        "powershell": "install_plan:powershell",
        "dockerfile": "install_plan:dockerfile",
        "requirements": "install_plan:requirements",
        "uv": "install_plan:uv",
        "conda-env": "install_plan:conda_env",
    },
    "rules": {"terminal": "rules:rules_text", "json": "rules:rules_json"},
    "smoke": {"terminal": "live:smoke_text", "json": "live_json:render_smoke"},
    "verify": {"terminal": "verify_text:verify_text", "json": "json:render_json"},
}


def renderer(report: str, form: str) -> Callable[..., Any]:
    """The function that writes this report in this format."""
    module, _, function = FORMATS[report][form].partition(":")
    place = "gpudoctor" if "." in module else "gpudoctor.report"
    found: Callable[..., Any] = getattr(import_module(f"{place}.{module}"), function)
    return found
