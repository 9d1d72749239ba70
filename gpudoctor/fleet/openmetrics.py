"""Renders a fleet report as OpenMetrics, for Prometheus and node_exporter's textfile collector.

Few series whatever the size of the fleet: names of nodes are no labels (prometheus.io/docs/practices/naming).
"""

from datetime import datetime
from typing import Any

from gpudoctor.fleet.node_names import FleetPartsMissing
from gpudoctor.fleet.overview import Overview


def render_openmetrics(overview: Overview) -> str:
    """The text. Raises FleetPartsMissing."""
    try:
        from prometheus_client import CollectorRegistry, Gauge
        from prometheus_client.openmetrics.exposition import generate_latest
    except ImportError:
        raise FleetPartsMissing("prometheus-client") from None
    registry = CollectorRegistry()

    def gauge(name: str, about: str, *labels: str) -> Any:
        return Gauge(f"gpudoctor_fleet_{name}", about, labels, registry=registry)

    nodes = gauge("nodes", "Nodes by what is known of them.", "state")
    troubled = [one for one in overview.worst if not one.silent]
    counts = {
        "expected": overview.expected,
        "answered": overview.answered,
        "healthy": overview.healthy,
        "silent": overview.silent_count,
        "error": sum(bool(one.errors) for one in troubled),
        "warning": sum(bool(one.warnings) and not one.errors for one in troubled),
        "drifted": sum(bool(one.differs) for one in troubled),
        "slow": sum(bool(one.slow) for one in troubled),
    }
    for state, count in counts.items():
        if count is not None:
            nodes.labels(state).set(count)
    gauge("gpus", "GPUs of all nodes that answered.").set(overview.gpus)
    silent = gauge("silent_nodes", "Nodes that gave no answer, by reason.", "reason")
    for one in overview.silent:
        silent.labels(one.why).inc(one.nodes.count)
    findings = gauge("finding_nodes", "Nodes with a finding, by its code.", "code", "severity")
    for finding in overview.findings:
        findings.labels(finding.code, finding.severity).inc(finding.nodes.count)
    drifted = gauge("drifted_nodes", "Nodes that differ from the rest of their group, by the first field.", "field")
    for drift in overview.drift:
        drifted.labels(drift.differences[0].field).inc(drift.nodes.count)
    slow = gauge("slow_gpus", "GPUs below the others of their kind, by what was measured.", "metric")
    for gpu in overview.slow:
        slow.labels(gpu.metric).inc()
    gauge("unreadable_lines", "Lines of the run that were left out.").set(overview.unreadable_count)
    if overview.taken:
        latest = datetime.fromisoformat(overview.taken[1]).timestamp()
        gauge("run_timestamp_seconds", "When the last node answered.").set(latest)
    render: Any = generate_latest
    return str(render(registry).decode())
