"""The report as JSON: schema in `gpudoctor.facts`."""

from gpudoctor.facts.codec import encode
from gpudoctor.facts.report import Report


def render_json(report: Report) -> bytes:
    """The report as indented JSON, UTF-8, with a newline at the end."""
    return encode(report, indent=2) + b"\n"
