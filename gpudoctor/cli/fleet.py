"""The command group `gpudoctor fleet`, for many machines."""

import click

from gpudoctor.cli.errors import showing_errors
from gpudoctor.cli.fleet_examples import command as examples
from gpudoctor.cli.fleet_merge import command as merge
from gpudoctor.cli.fleet_run import command as run


@click.group("fleet", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def command() -> None:
    """Examine many machines, and find the one that differs.

    \b
    gpudoctor fleet run --via slurm --nodes 'gpu[001-512]' -o run.jsonl
    gpudoctor fleet merge run.jsonl --expect 'gpu[001-512]'
    """  # noqa: D301 - click reads the character


command.add_command(examples)
command.add_command(showing_errors(merge))
command.add_command(showing_errors(run))
