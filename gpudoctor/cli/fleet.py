"""`gpudoctor fleet`: the commands for many machines."""

import click

from gpudoctor.cli.fleet_merge import command as merge


@click.group("fleet", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def command() -> None:
    r"""Examine many machines, and find the one that differs.

    \b
    gpudoctor fleet merge run.jsonl --expect 'gpu[001-512]'
    """


command.add_command(merge)
