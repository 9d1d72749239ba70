"""`gpudoctor rules`."""

import click
import msgspec

from gpudoctor.cli.output import write_bytes, write_text
from gpudoctor.rules._declare import Rule
from gpudoctor.rules._load import load_rules


@click.command("rules")
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True)
def command(form: str) -> None:
    """List every rule: code, severity, name, and what it finds."""
    rules = load_rules()
    if form == "json":
        write_bytes(msgspec.json.format(msgspec.json.encode([_row(rule) for rule in rules])) + b"\n")
        return
    longest = max(len(rule.name) for rule in rules)
    write_text("".join(f"{rule.code}  {rule.severity:<8} {rule.name:<{longest}}  {rule.summary}\n" for rule in rules))


def _row(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "since": rule.since,
        "summary": rule.summary,
        "wants": [want.field for want in rule.wants],
    }
