"""The command `gpudoctor matrix verify`: compares the shipped matrix with the user's package index."""

import sys
from contextlib import closing

import click

from gpudoctor.cli.matrix import FORMAT
from gpudoctor.cli.show import show
from gpudoctor.errors import CannotExamine
from gpudoctor.index.fetch import Fetcher, IndexUnusable
from gpudoctor.index.offers import Offers
from gpudoctor.index.settings import Settings, read_settings, shown
from gpudoctor.index.verify import read_wheels, verify
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.report.verification import IndexComparison, printable

EPILOG = "Exit codes: 0 all confirmed, 1 differences, 2 usage, 3 the index cannot be read or is none."


def _run(form: str, index_url: str | None, python: str | None, contents: bool) -> int:
    """Compare the matrix with your package index: releases, Pythons, platforms, withdrawn files.

    With --contents the wheels themselves are asked, too, a few parts of each: what their METADATA requires, and the
    files in which PyTorch, TensorFlow, xformers and Triton state their build.

    The index is the one that pip is set up for (its configuration and PIP_... variables), else UV_DEFAULT_INDEX, else
    pip's own default. This command opens network connections; `check` never does.
    """
    settings = settings_of(index_url, python)
    try:
        with closing(Fetcher(settings)) as fetcher:
            offers, matrix = Offers(fetcher), load_matrix()
            found = verify(matrix, offers, read_wheels(matrix, fetcher, offers) if contents else None)
    except IndexUnusable as error:
        raise CannotExamine(printable(f"{error}. Nothing was compared.")) from None
    places = tuple(shown(address) for address in (*settings.indexes, *settings.find_links))
    show("matrix verify", IndexComparison(found=found, places=places, named_by=settings.named_by), form)
    return 0 if found.agrees else 1


def settings_of(index_url: str | None, python: str | None) -> Settings:
    """The indexes that pip, else uv, is set up for. Raises CannotExamine, click.BadParameter."""
    # Imported here: the probes are needed for nothing else.
    from gpudoctor.host.real import RealHost
    from gpudoctor.probes.target.probe import choose

    host = RealHost()
    choice = choose(host, python)
    if python is not None and choice.fault is not None:
        raise click.BadParameter(choice.fault.reason, param_hint="--python")
    # The pip of an environment that has none (uv makes such) is replaced by our own.
    pythons = dict.fromkeys((*(() if choice.fault else (choice.executable,)), sys.executable))
    settings = read_settings(host, tuple(pythons), index_url)
    if not settings.indexes and not settings.find_links:
        raise CannotExamine(
            "No package index is set up for pip or uv. Name one: gpudoctor matrix verify --index-url URL"
        )
    return settings


command = click.Command(
    "verify",
    callback=_run,
    params=[
        FORMAT,
        click.Option(["--contents"], is_flag=True, help="Read parts of 1,300 wheels, too; takes some minutes."),
        click.Option(["--index-url"], metavar="URL", help="Compare with this index (or folder) only."),
        click.Option(["--python"], metavar="PATH", help="Use the settings of this interpreter's pip."),
    ],
    help=_run.__doc__,
    epilog=EPILOG,
)
