"""What was done, written as it is done: results.jsonl, one line an event, and the files that the steps keep.

Nothing here raises when the disk is full or read-only: the lines that could not be written are said at the end.
"""

import io
import json
import os
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

#: How often a step is begun that never came to its end: a machine that dies of it dies twice, not for ever.
MOST_TRIES = 2

Event = dict[str, Any]


class Results:
    """The folder of one campaign. `clean` takes out of every text what must not be seen by others."""

    def __init__(self, folder: Path, clean: Callable[[str], str], archive: Path | None = None) -> None:
        self.folder, self.archive = folder, archive
        self._clean = clean
        self.events: list[Event] = read_events(folder / "results.jsonl")
        #: What could not be written, and why.
        self.unwritten: list[str] = []

    def add(self, event: Event) -> None:
        """Append a line, and have it on the disk before anything else is done."""
        line = self.cleaned(json.dumps(event, ensure_ascii=False))
        self.events.append(json.loads(line))
        try:
            with (self.folder / "results.jsonl").open("a+b") as stream:
                stream.write(_fresh_line(stream) + line.encode() + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            self.unwritten.append(f"results.jsonl: {error.strerror}: {line}")

    def keep(self, name: str, text: str, *, is_clean: bool = False) -> None:
        """Write a file of a step; `is_clean`: nothing is left in it that others must not see."""
        self.write(f"files/{name}", text if is_clean else self.cleaned(text))

    def write(self, name: str, text: str) -> None:
        """Write a file of the folder as it is; the folders that lead to it are made."""
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            self.unwritten.append(f"{name}: {error.strerror}")

    def cleaned(self, text: str) -> str:
        """The text without what others must not see; JSON stays JSON, each of its texts is cleaned by itself."""
        try:
            plain = json.loads(text)
        except ValueError:
            return self._clean(text)
        return json.dumps(self._clean_value(plain), indent=1 if "\n" in text else None, ensure_ascii=False)

    def _clean_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._clean(value)
        if isinstance(value, dict):
            return {self._clean(key): self._clean_value(item) for key, item in value.items()}
        return [self._clean_value(item) for item in value] if isinstance(value, list) else value

    def read(self, name: str) -> str | None:
        """A file that a step of this or an earlier part kept."""
        try:
            return (self.folder / "files" / name).read_text(encoding="utf-8")
        except OSError:
            return None

    def pack(self) -> None:
        """Put the whole folder into the archive, which is complete at any time: the new one takes its place whole."""
        if self.archive is None:
            return
        beside = self.archive.with_name(self.archive.name + ".new")
        try:
            with tarfile.open(beside, "w:gz") as archive:
                archive.add(self.folder, arcname=".")
            beside.replace(self.archive)
        except OSError as error:
            self.unwritten.append(f"{self.archive.name}: {error.strerror}")

    def ended(self) -> dict[str, Event]:
        """The last end of each step that came to one."""
        return {event["step"]: event for event in self.events if event["event"] == "ended"}

    def facts(self, step: str) -> dict[str, Any]:
        """What a step found out; empty where it was not done."""
        found: dict[str, Any] = self.ended().get(step, {}).get("facts", {})
        return found

    def open_steps(self, names: Iterable[str]) -> list[str]:
        """Those still to be done: never ended, and not begun too often; those that were cut off come last."""
        ended = {name for name, event in self.ended().items() if event["outcome"] != "cut-off"}
        tries = self.tries()
        left = [name for name in names if name not in ended and tries.get(name, 0) < MOST_TRIES]
        return sorted(left, key=lambda name: tries.get(name, 0))

    def tries(self) -> dict[str, int]:
        """How often each step was begun."""
        begun = [event["step"] for event in self.events if event["event"] == "started"]
        return {name: begun.count(name) for name in begun}


def _fresh_line(stream: io.BufferedRandom) -> bytes:
    """A line that was cut off in the middle is ended first, so that the next one is whole."""
    end = stream.seek(0, os.SEEK_END)
    if end == 0:
        return b""
    stream.seek(end - 1)
    return b"" if stream.read(1) == b"\n" else b"\n"


def read_events(file: Path) -> list[Event]:
    """The lines that are whole; a run that was cut off may have left half a one."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and "event" in event and (event["event"] == "run" or "step" in event):
            found.append(event)
    return found


def unpack(archive: Path, folder: Path) -> None:
    """Take an archive apart into an empty folder. Raises OSError and tarfile.TarError."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else packed.extractall(folder)
