"""Redacts command output that others may read, with the host and user names of this machine."""

import click

from gpudoctor.redact.identities import KINDS, Known
from gpudoctor.redact.redactor import Door, counted


def door(keep: tuple[str, ...] = ()) -> Door:
    """A door for one report. `keep`: kinds of identities, or all of them, that stay."""
    # Imported here: what is shown to its own user needs no names.
    from gpudoctor.host.identity import read_names

    names = read_names()
    kept = KINDS if "all" in keep else keep
    return Door(Known(users=names.users, hosts=names.hosts, homes=names.homes), kept)


def replaced(passed: Door) -> str:
    """What was taken out, in a sentence."""
    said = counted(passed.counts)
    return f"Taken out or replaced: {said}." if said else "There was nothing to take out."


keep_option = click.option(
    "--keep",
    multiple=True,
    type=click.Choice([*KINDS, "all"]),
    help="Leave these as they are, for use in-house; repeatable. Credentials are taken out all the same.",
)
