"""The command `gpudoctor rules`: lists the rules."""

import click

from gpudoctor.cli.option_values import format_option
from gpudoctor.cli.show import show
from gpudoctor.rules.load import load_rules


@click.command("rules")
@format_option("rules")
def command(form: str) -> None:
    """List every rule: code, severity, name, and what it finds."""
    show("rules", load_rules(), form)
