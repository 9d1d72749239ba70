"""`gpudoctor install --container`: the docker command of an image that fits this machine; nothing is installed."""

from collections.abc import Mapping
from typing import NoReturn

import click

from gpudoctor.cli.show import show
from gpudoctor.errors import Misused
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.demand import parse_demand
from gpudoctor.verify.choose_image import choose_image
from gpudoctor.verify.given import given_of

#: Refused: nothing was changed.
REFUSED = 6


def show_container(wish: tuple[str, ...], others: Mapping[str, object], *, as_json: bool) -> NoReturn:
    """Show it and exit. `others`: options that do not go with it. Raises Misused, CannotExamine, click's Exit."""
    given = [name for name, value in others.items() if value]
    if given:
        raise Misused(f"--container prints a command, and {given[0]} is for an environment. Leave one out.")
    demand = parse_demand(wish or ("torch",))
    if len(demand.wanted) != 1 or demand.extras:
        raise Misused("--container is for one framework: torch or tensorflow. What goes with it is installed inside.")
    # Imported here: what is wrong with the words needs no look at the machine.
    from gpudoctor.examine.look import begin_to_examine

    matrix = load_matrix()
    choice = choose_image(demand.wanted[0], given_of(begin_to_examine(None)(), matrix), matrix)
    show("install --container", choice, "json" if as_json else "terminal")
    raise click.exceptions.Exit(REFUSED if choice.refused else 0)
