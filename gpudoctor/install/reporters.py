"""Reports progress while an environment is changed: sentences, or JSON lines."""

import os
import shlex
from types import TracebackType

from gpudoctor.apply.events import (
    EXIT_CODES,
    Asked,
    Carried,
    Changes,
    Checked,
    Copying,
    Event,
    Finished,
    InUse,
    Left,
    Mended,
    Output,
    Progress,
    Proved,
    Proving,
    Removing,
    Room,
    Started,
    Stepped,
    Switched,
    Verified,
)
from gpudoctor.errors import CannotWrite, Failure
from gpudoctor.examine.progress import is_terminal, terminal_width
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.codec import encode
from gpudoctor.report.commands import visible
from gpudoctor.report.output import say, write_bytes

#: Lines of installers that say how far they are.
_TELLING = re.compile(r"\s*(Downloading|Collecting|Installing|Building|Uninstalling|Resolved|Prepared|Installed)\b")
#: Seconds without a line after which one is written where nothing can be drawn again.
PAUSE = 30.0


class JsonLines:
    """One JSON object a line on standard output. Entered, it ends with `finished` whatever ends the run."""

    def __init__(self) -> None:
        self._finished = False

    def __call__(self, event: Event) -> None:
        """Tell it."""
        self._finished = isinstance(event, Finished | Checked)
        write_bytes(encode(event) + b"\n")

    def __enter__(self) -> "JsonLines":  # noqa: PYI034 - typing.Self needs Python 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """What ended the run before an environment was begun is an event, too."""
        if self._finished or isinstance(error, CannotWrite):
            return
        if isinstance(error, Failure):
            self(Finished(outcome="refused", exit_code=error.exit_code, reason=str(error)))
        elif isinstance(error, KeyboardInterrupt):
            code = EXIT_CODES["interrupted"]
            self(Finished(outcome="interrupted", exit_code=code, reason="interrupted; nothing was changed"))


class Sentences:
    """Lines on standard error; what goes on at the moment is one line that is drawn again."""

    def __init__(self) -> None:
        self._drawn = False
        self._last = ""
        self._size = ""
        self._told = 0.0
        self._live = is_terminal()

    def __call__(self, event: Event) -> None:
        """Tell it."""
        if isinstance(event, Output | Progress):
            self._go_on(event)
            return
        self._size, self._told = "", event.seconds
        self._last = f"asking: {event.by}" if isinstance(event, Asked) else ""
        self._last = "copying" if isinstance(event, Copying) else self._last
        self._last = "removing" if isinstance(event, Removing) else self._last
        text = sentence(event)
        if text is not None and not (self._live and isinstance(event, Asked)):
            self.clear()
            say(visible_lines(text))

    def __enter__(self) -> "Sentences":  # noqa: PYI034 - typing.Self needs Python 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left drawn."""
        self.clear()

    def _go_on(self, event: Output | Progress) -> None:
        if isinstance(event, Progress):
            self._size = _size(event) or self._size
        elif _TELLING.match(event.text):
            self._last, self._size = event.text.strip(), ""
            if not self._live:
                self._told = event.seconds
                say(f"    {visible(self._last)}")
                return
        if self._live:
            self._draw(event.seconds)
        elif event.seconds - self._told >= PAUSE:
            self._told = event.seconds
            say(f"    {event.seconds:.0f} s{self._size}")

    def _draw(self, seconds: float) -> None:
        self.clear()
        self._drawn = True
        columns = max(20, terminal_width() - 1)
        say(f"    {seconds:.0f} s{self._size}  {visible(self._last)}"[:columns], end="")

    def clear(self) -> None:
        """Take away what is drawn."""
        if self._drawn:
            say("\r\x1b[K", end="")
            self._drawn = False


def _size(event: Progress) -> str:
    if event.done_bytes is not None:
        whole = f" of {event.of_bytes / 1e6:.0f}" if event.of_bytes else ""
        return f", {event.done_bytes / 1e6:.0f}{whole} MB"
    return f", {event.written_mib} MiB written" if event.written_mib else ""


def sentence(event: Event) -> str | None:
    """What is told of an event as a line; None of one that goes without saying."""
    if isinstance(event, Mended | Started | Copying):
        return _beginning(event)
    if isinstance(event, Changes):
        return _changes(event)
    if isinstance(event, Stepped):
        return f"  {shlex.join(event.argv)}"
    if isinstance(event, Asked):
        return f"  asking: {event.by}"
    if isinstance(event, Verified):
        return f"  {_verified(event)}"
    if isinstance(event, Room):
        return f"  space in {event.path}: {event.free / 1e9:.1f} GB free, about {event.needed / 1e9:.2f} GB needed"
    if isinstance(event, Proving):
        return "  checking its files, and training a small network with each framework"
    return _proved(event) if isinstance(event, Proved) else _of_files(event)


def _of_files(event: Event) -> str | None:
    if isinstance(event, Switched):
        return f"In place: {event.environment}"
    if isinstance(event, Removing):
        return f"  removing {event.path}, {event.of_bytes / 1e6:.0f} MB; the environment can be used meanwhile"
    if isinstance(event, InUse | Left):
        return _used(event)
    return _carried(event) if isinstance(event, Carried) else None


def _used(event: InUse | Left) -> str:
    users = [f"  {one.name} (process {one.pid}) {one.how}" for one in event.users]
    if isinstance(event, InUse):
        first = f"{event.environment} is in use. Processes keep what they have loaded; restart them afterwards."
    else:
        size = f"{event.of_bytes / 1e6:.0f} MB"
        first = f"  {event.path} ({size}) is still being written to; the next change or undo here removes it"
    return "\n".join([first, *users])


def _carried(event: Carried) -> str:
    """Your files: how many went along, and where those are that could not stay where they were."""
    lines = [f"  {event.files} of your own files went along"] if event.files else []
    lines += [visible(f"  {one.path}: your version is kept as {one.beside}") for one in event.kept]
    if event.unsorted is not None:
        folder = visible(os.path.join(event.environment, event.unsorted))
        lines.append(f"  The installer was cut off. New files that may be yours are in {folder}; delete what is not.")
    return "\n".join(lines)


def _changes(event: Changes) -> str:
    """What is replaced or goes; of what only comes along, how many."""
    new = sum(line.startswith("+ ") for line in event.changes)
    lines = [f"  {line}" for line in event.changes if not line.startswith("+ ")]
    lines += [f"  + {new} new package{'' if new == 1 else 's'}"] if new else []
    lines += [f"  breaks: {line}" for line in event.breaks]
    return "\n".join(("What changes:", *lines))


def _beginning(event: Mended | Started | Copying) -> str:
    if isinstance(event, Mended):
        return f"An earlier run ({event.id}) had been cut short: {event.how}."
    if isinstance(event, Copying):
        return f"  copying what is there, {event.of_bytes / 1e6:.0f} MB; large files are shared, not copied"
    if event.way == "beside":
        how, until = "Building beside", "; until all is proved, nothing there is changed"
    else:
        how, until = "Making" if event.kind == "new" else "Changing, with a copy to go back to,", ""
    return f"{how} {event.environment}{until}. (id {event.id})"


def _proved(event: Proved) -> str:
    what = {"passed": "trained a network", "failed": "does not work", "unproved": "not proved"}[event.outcome]
    where = f" on {', '.join(event.devices)}" if event.devices else ""
    took = f" in {event.took:.0f} s" if event.took is not None and event.outcome == "passed" else ""
    return f"  {event.framework}: {what}{where}{took}{f' ({event.detail})' if event.detail else ''}"


def _verified(event: Verified) -> str:
    if not event.says:
        return f"not verified, by {event.by}"
    return f"verified by {event.by} ({event.took:.1f} s): {_installs(event)}"


def _installs(event: Verified) -> str:
    """How many packages, and what of them is downloaded. What an installer has in its cache it does not download."""
    count = len(event.installs)
    if count == 0:
        return "nothing is to be installed"
    packages = f"{count} package{'' if count == 1 else 's'}"
    if event.to_download == 0:
        return f"{packages}, all in its cache"
    some = f", {event.to_download} to download" if event.to_download not in (None, count) else ""
    if event.unknown_sizes == count:
        return f"{packages}{some}, of a size that is not known"
    size = f"{event.known_bytes / 1e6:.0f} MB"
    if event.unknown_sizes:
        return f"{packages}{some}: {size}, and {event.unknown_sizes} of a size that is not known"
    most = "" if event.to_download == count else "up to "
    return f"{packages}{some}, {most}{size}{'' if some else ' to download'}"


def ending(end: Finished, environment: str) -> str:
    """The last words."""
    if end.outcome.startswith("installed"):
        changes = "".join(f"  {line}\n" for line in end.changes[:40]) or "  no package: they were all there\n"
        more = f"  and {len(end.changes) - 40} more\n" if len(end.changes) > 40 else ""
        took = f" in {end.seconds:.0f} s" if end.seconds else ""
        proved = {
            "installed": f"Installed{took}. There is no framework in it to prove.",
            "installed-and-proved": f"Installed and proved{took}.",
            "installed-not-proved": f"Installed{took}; not everything could be proved.",
        }
        return f"{proved[end.outcome]}\n{changes}{more}In {environment}. To take it back: gpudoctor undo {end.id}\n"
    if end.outcome == "interrupted":
        return "Interrupted. Everything is as it was.\n"
    if end.outcome == "nothing-to-do":
        return f"{visible_lines(end.reason or '')}\n"
    words = {"refused": "Nothing was changed.", "failed-and-rolled-back": "It failed, and everything is as it was."}
    return f"{words[end.outcome]}\n{visible_lines(end.reason or '')}\n"


def visible_lines(text: str) -> str:
    """Several lines without control characters."""
    return "\n".join(visible(line) for line in text.splitlines())
