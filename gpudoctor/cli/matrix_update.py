"""The command `gpudoctor matrix update`: takes a newer compatibility matrix without a newer gpudoctor."""

import click

from gpudoctor.cli.matrix import FORMAT
from gpudoctor.cli.show import show
from gpudoctor.errors import CannotExamine

EPILOG = (
    "Example: gpudoctor matrix update --from https://example.org/gpudoctor-matrix\n\n"
    "Exit codes: 0 updated, or nothing newer; 2 usage; 3 refused or not readable, and the matrix stays as it was."
)
EXTRA = "Updates need the extra `update`: python -m pip install 'gpu-stack-doctor[update]'"


def _run(form: str, where: str, root: str | None) -> None:
    """Replace the matrix with a newer edition, after its signatures were checked.

    It is taken from a repository that scripts/matrix_repository makes: an address, a folder, or a zip archive carried
    to a machine without a network. What is unsigned, expired, older than before, damaged or made for another gpudoctor
    is refused, and the matrix stays as it was. Nothing else opens a connection for this, and nothing does it by itself.
    """
    try:
        from gpudoctor.apply.matrix_update import trusted_root, update
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("tuf", "securesystemslib"):
            raise
        raise CannotExamine(EXTRA) from None
    show("matrix update", update(where, trusted_root(root)), form)


command = click.Command(
    "update",
    callback=_run,
    params=[
        FORMAT,
        click.Option(["--from", "where"], metavar="URL|FILE", required=True, help="The repository of updates."),
        click.Option(["--root"], metavar="FILE", help="Its keys (root.json).  [default: those shipped]"),
    ],
    help=_run.__doc__,
    epilog=EPILOG,
)
