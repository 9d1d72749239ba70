"""The command `gpudoctor history`: changes made to environments that can be undone."""

import os

import click


@click.command("history")
@click.option("--python", "--venv", "place", metavar="PATH", help="Only changes of this environment.")
@click.option("--forget", "forgotten", metavar="ID", help="Remove what is kept to undo this change.")
@click.option("--json", "as_json", is_flag=True, help="All that is known of them, as JSON.")
def command(place: str | None, forgotten: str | None, as_json: bool) -> None:
    """List what gpudoctor changed, the latest last; `gpudoctor undo ID` takes a change back."""
    from gpudoctor.apply.journal import load_changes
    from gpudoctor.facts.codec import encode
    from gpudoctor.install.changes import environment_of, told
    from gpudoctor.report.output import write_bytes, write_text

    if forgotten is not None:
        _forget(forgotten, place)
        return
    changes = load_changes(environment_of(place) if place is not None else None)
    if as_json:
        for change in changes:
            write_bytes(encode(change) + b"\n")
        return
    if place is not None and not changes and not os.path.lexists(place):
        raise click.UsageError(f"there is no {place}, and gpudoctor has changed nothing there.")
    none = f"gpudoctor has changed nothing in {place}." if place else "gpudoctor has changed no environment."
    lines = [told(change) for change in changes] or [none]
    write_text("\n".join(lines) + "\n")


def _forget(change_id: str, place: str | None) -> None:
    from gpudoctor.apply.backups import CannotUndo, forget
    from gpudoctor.apply.lock import Busy
    from gpudoctor.errors import NothingChanged
    from gpudoctor.install.changes import NoSuchChange, find
    from gpudoctor.report.output import write_text

    try:
        change = find(change_id, place)
        forget(change)
    except NoSuchChange as error:
        raise click.UsageError(str(error)) from None
    except (CannotUndo, Busy) as error:
        raise NothingChanged(f"{error}. Nothing was changed.") from None
    write_text(f"{change.id} cannot be undone any more; {change.environment} stays as it is.\n")
