"""What was run, as JSON."""

from gpudoctor.diagnosis.cross_view import CrossView
from gpudoctor.facts.base import Fact
from gpudoctor.facts.codec import encode
from gpudoctor.facts.finding import Diagnosis, Finding
from gpudoctor.facts.live import DeviceList, Live, SmokeRun, Symptom
from gpudoctor.facts.report import REPORT_SCHEMA


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


def render_devices(view: CrossView, live: Live) -> bytes:
    """The table of devices as JSON, with what each framework told."""
    return encode(DevicesReport(view=view, lists=live.devices), indent=2) + b"\n"


def render_smoke(live: Live, diagnosis: Diagnosis) -> bytes:
    """The trainings as JSON, with what the rules say of this machine."""
    report = SmokeReport(
        passed=bool(live.smoke) and all(run.proved for run in live.smoke),
        runs=live.smoke,
        symptoms=live.symptoms,
        findings=diagnosis.findings,
    )
    return encode(report, indent=2) + b"\n"
