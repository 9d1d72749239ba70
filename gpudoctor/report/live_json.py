"""Renders `devices` and `smoke` as JSON."""

from gpudoctor.diagnosis.cross_view import CrossView, cross_view
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.live import DeviceList, SmokeRun, Symptom
from gpudoctor.facts.report import REPORT_SCHEMA, Report
from gpudoctor.report.json import render_json
from gpudoctor.report.live import live_of


class DevicesReport(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """What `gpudoctor devices` says."""

    schema: int = REPORT_SCHEMA
    view: CrossView
    lists: tuple[DeviceList, ...]


class SmokeReport(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """What `gpudoctor smoke` says. `passed`: everything that was tried."""

    schema: int = REPORT_SCHEMA
    passed: bool
    runs: tuple[SmokeRun, ...]
    symptoms: tuple[Symptom, ...]
    findings: tuple[Finding, ...]


def render_devices(report: Report) -> bytes:
    """The table of devices as JSON, with what each framework told."""
    view = cross_view(report.snapshot, report.diagnosis.findings)
    return render_json(DevicesReport(view=view, lists=live_of(report).devices))


def render_smoke(report: Report) -> bytes:
    """The trainings as JSON, with what the rules say of this machine."""
    live = live_of(report)
    smoke = SmokeReport(
        passed=bool(live.smoke) and all(run.proved for run in live.smoke),
        runs=live.smoke,
        symptoms=live.symptoms,
        findings=report.diagnosis.findings,
    )
    return render_json(smoke)
