"""The command `gpudoctor undo`: takes back a change of an environment."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from gpudoctor.errors import NothingChanged

if TYPE_CHECKING:
    from gpudoctor.apply.events import Event
    from gpudoctor.apply.journal import Change
    from gpudoctor.install.reporters import Sentences


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
    from gpudoctor.install.changes import NoSuchChange, find
    from gpudoctor.install.in_use import tell_users
    from gpudoctor.install.reporters import Sentences

    with Sentences() as say:
        swept = _sweep(place, say)
        try:
            change = find(change_id, place)
        except NoSuchChange as error:
            if swept and change_id is None:
                return
            raise click.UsageError(str(error)) from None
        tell_users((change.environment,), say)
        if not yes:
            _ask(change, as_json=as_json)
        _undo(change, say, anyway=anyway, as_json=as_json)


def _undo(change: "Change", say: "Sentences", *, anyway: bool, as_json: bool) -> None:
    from gpudoctor.apply.backups import CannotUndo
    from gpudoctor.apply.events import Carried, Left, Switched
    from gpudoctor.apply.lock import Busy
    from gpudoctor.apply.undo import undo
    from gpudoctor.report.output import write_bytes, write_text

    files: list[Event] = []

    def hear(event: "Event") -> None:
        if isinstance(event, Carried | Left):
            files.append(event)
        if not isinstance(event, Switched):
            say(event)
        elif not as_json:
            say.clear()
            write_text(_in_place(change))

    try:
        undone = undo(change, anyway=anyway, tell=hear)
    except (CannotUndo, Busy) as error:
        raise NothingChanged(f"{error}. Nothing was changed.") from None
    except OSError as error:
        raise NothingChanged(f"{error.filename}: {error.strerror}. Run it again once that is fixed.") from None
    if as_json:
        write_bytes(_json(undone, files))


def _in_place(change: "Change") -> str:
    """Said as soon as it is so; removing what is not needed any more comes afterwards."""
    how = "as it was before"
    if change.kind == "new":
        how = "removed, but for your own files in it" if os.path.isdir(change.environment) else "removed"
    return f"{change.environment} is {how} ({change.id}).\n"


def _json(change: "Change", files: "list[Event]") -> bytes:
    """The change, and what was told of the user's files and of what could not be removed yet."""
    import msgspec

    from gpudoctor.facts.codec import encode

    plain = msgspec.json.decode(encode(change)) | {"files": [msgspec.json.decode(encode(one)) for one in files]}
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"


def _sweep(place: str | None, say: "Callable[[Event], None]") -> bool:
    """Remove what earlier runs were ended in removing; whether there was anything."""
    from gpudoctor.apply.backups import is_left, sweep
    from gpudoctor.apply.journal import load_changes
    from gpudoctor.apply.lock import Busy, Lock
    from gpudoctor.install.changes import environment_of

    every = load_changes(environment_of(place) if place is not None else None)
    left = {change.environment for change in every if is_left(change)}
    for environment in left:
        with suppress(Busy, OSError), Lock(environment):
            sweep(environment, say)
    return bool(left)


def _ask(change: "Change", *, as_json: bool) -> None:
    from gpudoctor.cli.install import can_ask
    from gpudoctor.install.changes import back, told

    what = told(change)
    if not can_ask(as_json=as_json):
        raise click.UsageError(f"nobody can be asked here. Add --yes to undo this: {what}. Nothing was done.")
    lines = "".join(f"  {line}\n" for line in back(change))
    if not click.confirm(f"{what}\n{lines}Your own files stay as they are. Undo it?", default=False):
        click.echo("Nothing was done.")
        raise click.exceptions.Exit(6)
