"""`gpudoctor rules`."""

import sys
from textwrap import fill

import click
import msgspec

from gpudoctor.cli.option_values import format_option
from gpudoctor.report.output import width, write_bytes, write_text
from gpudoctor.rules.declare import Rule
from gpudoctor.rules.load import load_rules


@click.command("rules")
@format_option()
def command(form: str) -> None:
    """List every rule: code, severity, name, and what it finds."""
    rules = load_rules()
    if form == "json":
        write_bytes(msgspec.json.format(msgspec.json.encode([row_of(rule) for rule in rules])) + b"\n")
        return
    # For `| grep` a line each, however long.
    write_text(_folded(rules) if sys.stdout.isatty() else _lines(rules))


def _lines(rules: tuple[Rule, ...]) -> str:
    longest = max(len(rule.name) for rule in rules)
    return "".join(f"{rule.code}  {rule.severity:<8} {rule.name:<{longest}}  {rule.summary}\n" for rule in rules)


def _folded(rules: tuple[Rule, ...]) -> str:
    indent = " " * 8
    return "".join(
        f"{rule.code}  {rule.severity:<8} {rule.name}\n"
        f"{fill(rule.summary, width(), initial_indent=indent, subsequent_indent=indent)}\n"
        for rule in rules
    )


def row_of(rule: Rule) -> dict[str, object]:
    """A rule as it is listed in JSON."""
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "since": rule.since,
        "summary": rule.summary,
        "wants": [want.field for want in rule.wants],
    }
