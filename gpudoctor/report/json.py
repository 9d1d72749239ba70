"""Renders reports as JSON; their schemas are in `gpudoctor.facts`."""

from gpudoctor.facts.base import Fact
from gpudoctor.facts.codec import encode


def render_json(report: Fact) -> bytes:
    """The report as indented JSON, UTF-8, with a newline at the end."""
    return encode(report, indent=2) + b"\n"
