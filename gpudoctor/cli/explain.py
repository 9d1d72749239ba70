"""`gpudoctor explain`."""

import click

from gpudoctor.cli.output import write_text
from gpudoctor.cli.suggest import no_such_rule
from gpudoctor.engine.select import UnknownCode, find
from gpudoctor.rules._load import load_rules


@click.command("explain")
@click.argument("code")
def command(code: str) -> None:
    """Print the manual page of a finding: what it means, why it breaks, how to mend it, when to ignore it."""
    try:
        rule = find(load_rules(), code.strip())
    except UnknownCode as error:
        raise no_such_rule(error) from None
    write_text(f"{rule.code} {rule.name} ({rule.severity}, since {rule.since})\n\n{rule.manual}\n")
