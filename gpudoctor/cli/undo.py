"""`gpudoctor undo`."""

import click


class CannotGoBack(click.ClickException):
    """Nothing was changed."""

    exit_code = 6


@click.command("undo", epilog="Exit codes: 0 undone, 2 usage, 6 refused: nothing was changed, 130 interrupted.")
@click.argument("change_id", metavar="[ID]", required=False)
@click.option("--python", "--venv", "place", metavar="PATH", help="The last change of this environment.")
@click.option("--anyway", is_flag=True, help="Also lose what was installed or removed since then.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="The change as JSON.")
def command(change_id: str | None, place: str | None, anyway: bool, yes: bool, as_json: bool) -> None:
    """Put an environment back to what it was before a change; the last change where no ID is given.

    A run that was cut short (power, kill -9) is put right the same way.
    """
    from gpudoctor.apply.lock import Busy
    from gpudoctor.apply.undo import CannotUndo, undo
    from gpudoctor.cli.changes import NoSuchChange, find, told
    from gpudoctor.cli.output import write_bytes, write_text
    from gpudoctor.model.codec import encode

    try:
        change = find(change_id, place)
    except NoSuchChange as error:
        raise click.UsageError(str(error)) from None
    if not yes:
        _ask(told(change), as_json=as_json)
    try:
        undone = undo(change, anyway=anyway)
    except (CannotUndo, Busy) as error:
        raise CannotGoBack(f"{error}. Nothing was changed.") from None
    except OSError as error:
        raise CannotGoBack(f"{error.filename}: {error.strerror}. Run it again once that is mended.") from None
    if as_json:
        write_bytes(encode(undone, indent=2) + b"\n")
    else:
        gone = undone.kind == "new"
        write_text(f"{undone.environment} is {'removed' if gone else 'as it was before'} ({undone.id}).\n")


def _ask(what: str, *, as_json: bool) -> None:
    from gpudoctor.cli.install import can_ask

    if not can_ask(as_json=as_json):
        raise click.UsageError(f"nobody can be asked here. Add --yes to undo this: {what}. Nothing was done.")
    if not click.confirm(f"{what}\nUndo it?", default=False):
        click.echo("Nothing was done.")
        raise click.exceptions.Exit(6)
