"""The command `gpudoctor matrix status`: the matrix edition in use, its age and origin."""

import click

from gpudoctor.cli.matrix import FORMAT
from gpudoctor.cli.show import show
from gpudoctor.knowledge.matrix.editions import status
from gpudoctor.knowledge.matrix.load import folder, load_matrix


def _run(form: str) -> None:
    """Which edition of the matrix is in use, how old it is, and where it came from.

    Example: gpudoctor matrix status --format json
    """
    show("matrix status", status(load_matrix().edition, folder()), form)


command = click.Command("status", callback=_run, params=[FORMAT], help=_run.__doc__)
