"""A measurement as JSON."""

from gpudoctor.facts.bench_report import BenchReport
from gpudoctor.facts.codec import encode


def render_bench_json(report: BenchReport) -> bytes:
    """The report as indented JSON, UTF-8, with a newline at the end."""
    return encode(report, indent=2) + b"\n"
