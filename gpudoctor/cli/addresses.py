"""Addresses on the command line."""

import os
import re

import click

_SCHEME = re.compile(r"(?:https?|file)://\S+")


def an_index(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001 - click's
    """A package index: an address, or a folder of this machine. Raises click.BadParameter."""
    if value is None or _SCHEME.fullmatch(value) or os.path.isdir(value):
        return value
    raise click.BadParameter(f"{value!r} is no address of an index; write https://host/simple, or an existing folder.")
