"""The command `gpudoctor fleet examples`: ready-made files for Slurm, Nagios, cron, Prometheus and others."""

from importlib.resources import files

import click

#: By name: the file beside `gpudoctor.fleet`, and what it is.
EXAMPLES = {
    "slurm-prolog": ("slurm-prolog", "a prolog that closes a node with an error to jobs"),
    "slurm-health-check": ("slurm-health-check", "a HealthCheckProgram that drains"),
    "nagios": ("nagios", "a check for Nagios or Icinga"),
    "cron": ("cron", "a cron line for node_exporter's textfile collector"),
    "node-problem-detector": ("node-problem-detector.json", "a monitor for Kubernetes' node-problem-detector"),
    "alerts": ("alerts.yml", "alerting rules for Prometheus"),
    "grafana": ("grafana.json", "a dashboard for Grafana"),
}


@click.command("examples")
@click.argument("name", required=False, type=click.Choice(sorted(EXAMPLES)))
def command(name: str | None) -> None:
    """Print what schedulers and monitors need to run gpudoctor on every node; without a name, what there is.

    \b
    gpudoctor fleet examples slurm-prolog > /etc/slurm/prolog.d/50-gpudoctor

    For Kubernetes, `gpudoctor fleet run --via kubernetes --dry-run` writes the manifest.
    """  # noqa: D301 - click reads the character
    from gpudoctor.language import wrapping
    from gpudoctor.report.output import write_text

    if name is None:
        width = max(map(len, EXAMPLES))
        write_text("".join(f"{one:<{width}}  {EXAMPLES[one][1]}\n" for one in sorted(EXAMPLES)))
        return
    text = (files("gpudoctor.fleet") / "examples" / EXAMPLES[name][0]).read_text(encoding="utf-8")
    write_text(wrapping.verbatim(text))
