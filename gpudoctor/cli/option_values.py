"""Options shared by several commands (--format, --index-url, --timeout …), and how their values are checked."""

import os
from collections.abc import Callable
from typing import Any

import click

from gpudoctor.facts import lazy_re as re
from gpudoctor.report.formats import FORMATS, OWN

_SCHEME = re.compile(r"(?:https?|file)://\S+")


def an_index(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001 - click's
    """A package index: an address, or a folder of this machine. Raises click.BadParameter."""
    if value is None or _SCHEME.fullmatch(value) or os.path.isdir(value):
        return value
    raise click.BadParameter(f"{value!r} is no address of an index; write https://host/simple, or an existing folder.")


def a_name(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001 - click's
    """The name of an environment, which commands, JSON and the journal repeat. Raises click.BadParameter."""
    try:
        (value or "").encode()
    except UnicodeEncodeError:
        raise click.BadParameter(f"{value!r} holds bytes that are not UTF-8. Choose another name.") from None
    return value


def format_option(report: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--format`: those that there are of the report (`gpudoctor.report.formats`)."""
    return click.option("--format", "form", type=click.Choice(list(FORMATS[report])), default=OWN[0], show_default=True)


def index_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The package indexes in place of those that are set up."""
    usual = click.option(
        "--index-url", metavar="URL", callback=an_index, help="In place of the index that pip or uv is set up for."
    )
    mirror = "A mirror of https://download.pytorch.org/whl."
    return usual(click.option("--torch-index", metavar="URL", callback=an_index, help=mirror)(command))


def install_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What installs, from which files and indexes."""
    for add in (
        index_options,
        click.option("--from-pyproject", is_flag=True, help="Also what pyproject.toml here asks for."),
        click.option("--requirements", "-r", metavar="FILE", help="Also what this file asks for."),
        click.option(
            "--manager", type=click.Choice(["pip", "uv", "conda", "mamba", "micromamba"]), help="What installs."
        ),
    ):
        command = add(command)
    return command


def seconds_of(timeout: float | None) -> float | None:
    """The seconds of --timeout. Raises click.BadParameter for what is none."""
    if timeout is not None and not 0 < timeout < 86400:
        raise click.BadParameter("give a number of seconds above 0 and below a day.", param_hint="--timeout")
    return timeout
