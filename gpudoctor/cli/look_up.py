"""The command `gpudoctor look-up`: wheels, symbols, libraries, releases and recipes."""

import click

from gpudoctor.cli.option_values import format_option
from gpudoctor.cli.show import show
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.look_up.look_up import look_up
from gpudoctor.redact.credentials import fact_without_credentials


@click.command("look-up")
@click.argument("question", nargs=-1, required=True, metavar="WHAT")
@format_option("look-up")
def command(question: tuple[str, ...], form: str) -> None:
    """Look up a wheel's name, a symbol, who ships a library, a release (its date, known faults), or a recipe.

    \b
        gpudoctor look-up flash_attn-2.7.4+cu12torch2.6cxx11abiFALSE-cp311-cp311-linux_x86_64.whl
        gpudoctor look-up "undefined symbol: _ZN3c106detail14torchCheckFailEPKcS2_jRKSs"
        gpudoctor look-up nvidia-cudnn-cu11 8.5.0.96
        gpudoctor look-up torch 1.13.1
        gpudoctor look-up container-toolkit debian

    Recipes: container-toolkit, fabric-manager, cuda-cudnn-conda, wsl2, driver-clean, caches. The exit code is 0 where
    something is known, 3 where it is not in the tables.
    """  # noqa: D301 - click reads the character
    looked = look_up(" ".join(question), load_matrix())
    show("look-up", fact_without_credentials(looked), form)
    raise click.exceptions.Exit(0 if looked.found else 3)
