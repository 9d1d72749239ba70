"""What is told while an environment is changed: sentences for people, JSON lines for programs."""

import os
import re
import shlex
import sys

import click

from gpudoctor.apply.events import (
    Event,
    Finished,
    Mended,
    Output,
    Progress,
    Proved,
    Room,
    Started,
    Stepped,
    Switched,
    Verified,
)
from gpudoctor.cli.output import write_bytes
from gpudoctor.model.codec import encode
from gpudoctor.render.commands import visible

#: Lines of installers that say how far they are.
_TELLING = re.compile(r"\s*(Downloading|Collecting|Installing|Building|Uninstalling|Resolved|Prepared|Installed)\b")


class JsonLines:
    """One JSON object a line on standard output."""

    def __call__(self, event: Event) -> None:
        """Tell it."""
        write_bytes(encode(event) + b"\n")


class Sentences:
    """Lines on standard error; what goes on at the moment is one line that is drawn again."""

    def __init__(self) -> None:
        self._drawn = False
        self._last = ""
        self._live = _is_terminal()

    def __call__(self, event: Event) -> None:
        """Tell it."""
        if isinstance(event, Output | Progress):
            self._go_on(event)
            return
        text = _sentence(event)
        if text is not None:
            self._clear()
            click.echo(visible(text), err=True)

    def _go_on(self, event: Output | Progress) -> None:
        if isinstance(event, Output):
            if not _TELLING.match(event.text):
                return
            self._last = event.text.strip()
            if not self._live:
                click.echo(f"    {visible(self._last)}", err=True)
                return
        if self._live:
            written = event.written_mib if isinstance(event, Progress) else None
            size = f", {written} MiB written" if written else ""
            self._clear()
            self._drawn = True
            columns = max(20, _columns() - 1)
            click.echo(f"    {event.seconds:.0f} s{size}  {visible(self._last)}"[:columns], err=True, nl=False)

    def _clear(self) -> None:
        if self._drawn:
            click.echo("\r\x1b[K", err=True, nl=False)
            self._drawn = False


def _sentence(event: Event) -> str | None:
    if isinstance(event, Started):
        return f"Building beside {event.environment}; until all is proved, nothing there is changed. (id {event.id})"
    if isinstance(event, Mended):
        return f"An earlier run ({event.id}) had been cut short: {event.how}."
    if isinstance(event, Stepped):
        return f"  {shlex.join(event.argv)}"
    if isinstance(event, Verified):
        size = f", {event.download_bytes / 1e6:.0f} MB to download" if event.download_bytes is not None else ""
        return f"  verified by {event.by}: {len(event.installs)} packages{size}"
    if isinstance(event, Room):
        return f"  space in {event.path}: {event.free / 1e9:.1f} GB free, {event.needed / 1e9:.2f} GB needed at most"
    if isinstance(event, Proved):
        what = {"passed": "trained a network", "failed": "does not work", "unproved": "not proved"}[event.outcome]
        where = f" on {', '.join(event.devices)}" if event.devices else ""
        return f"  {event.framework}: {what}{where}{f' ({event.detail})' if event.detail else ''}"
    if isinstance(event, Switched):
        return f"In place: {event.environment}"
    return None


def ending(end: Finished, environment: str) -> str:
    """The last words."""
    if end.outcome in ("installed-and-proved", "installed-not-proved"):
        changes = "".join(f"  {line}\n" for line in end.changes[:40]) or "  nothing: it was all there\n"
        more = f"  and {len(end.changes) - 40} more\n" if len(end.changes) > 40 else ""
        proved = "Installed and proved." if end.exit_code == 0 else "Installed; not everything could be proved."
        return f"{proved}\n{changes}{more}In {environment}. To take it back: gpudoctor undo {end.id}\n"
    if end.outcome == "interrupted":
        return "Interrupted. Everything is as it was.\n"
    words = {"refused": "Nothing was changed.", "failed-and-rolled-back": "It failed, and everything is as it was."}
    return f"{words[end.outcome]}\n{visible_lines(end.reason or '')}\n"


def visible_lines(text: str) -> str:
    """Several lines without control characters."""
    return "\n".join(visible(line) for line in text.splitlines())


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 80


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:
        return False
