"""The command `gpudoctor diff`: compares two snapshots or reports."""

import click

from gpudoctor.cli.option_values import format_option
from gpudoctor.cli.show import show
from gpudoctor.diagnosis.compare import compare
from gpudoctor.examine.look import stated_in
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules


@click.command("diff")
@click.argument("before")
@click.argument("after")
@format_option("diff")
@click.option("-v", "--verbose", is_flag=True, help="Every change, also those of packages that no GPU needs.")
def command(before: str, after: str, form: str, verbose: bool) -> None:
    """Say what changed between two snapshots, reports or pasted texts, most suspicious first.

    A change is suspicious when undoing it alone takes back a finding that is new in AFTER. One of the two may be - for
    standard input. The exit code is 1 if an error or a warning is new, else 0; 3 if one of the two cannot be read.
    """
    comparison = compare(stated_in(before), stated_in(after), load_matrix(), load_rules())
    show("diff", comparison, form, 1 if verbose else 0)
    worse = any(one.severity != "info" for one in comparison.appeared)
    raise click.exceptions.Exit(1 if worse else 0)
