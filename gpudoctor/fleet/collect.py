"""Stores the records of a fleet run line by line, so that a run can resume without asking nodes again."""

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timezone
from types import TracebackType
from typing import IO

import msgspec

from gpudoctor.errors import CannotWrite
from gpudoctor.facts.codec import encode
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.fleet.node_names import is_name
from gpudoctor.fleet.reading import read_files
from gpudoctor.fleet.record import RECORD_SCHEMA, NoAnswer, NodeRecord

_PAUSE = 0.2


def answered_in(path: str | None) -> frozenset[str]:
    """The nodes with an answer in the file of an earlier run; none where there is no such file.

    Raises CannotWrite for a file that is something else: nothing is to be appended to it.
    """
    if path is None or not os.path.isfile(path):
        return frozenset()
    found = list(read_files((path,)))
    records = [one for one in found if isinstance(one, NodeRecord)]
    if found and not records:
        name = os.fsencode(path).decode(errors="replace")
        raise CannotWrite(f"{name} exists and is not the file of a run; choose another name for --output.")
    return frozenset(one.host for one in records if one.no_answer is None)


class Collected:
    """Where lines go; knows who has answered. To be entered."""

    def __init__(self, path: str | None, nodes: Iterable[str], *, names_are_known: bool = True) -> None:
        self.open = dict.fromkeys(nodes)
        self.total = len(self.open)
        self.answered = 0
        self._path = path
        self._known = names_are_known
        self._file: IO[bytes] | None = None
        self._shown = 0.0

    def __enter__(self) -> "Collected":  # noqa: PYI034 - typing.Self needs Python 3.11
        if self._path is not None:
            try:
                self._file = open(self._path, "ab", buffering=0)
                self._end_the_last_line(self._path)
            except OSError as error:
                name = os.fsencode(self._path).decode(errors="replace")
                raise CannotWrite(f"{name} could not be written: {error.strerror or error}") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
        if sys.stderr.isatty():
            _draw("\r\x1b[K")

    def take(self, name: str | None, raw: bytes) -> None:
        """A line that a node printed; what is no record of a node that is still to answer is passed over."""
        raw = raw.strip()
        if not raw.startswith(b"{"):
            return
        try:
            record = decode_json(raw, type=NodeRecord)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        host = name or record.host
        if not is_name(host) or (self._known and host not in self.open):
            return
        if host != record.host:
            record = msgspec.structs.replace(record, host=host)
        self.open.pop(host, None)
        self.answered += 1
        self._write(record)
        self.show()

    def give_up(self, reasons: dict[str, NoAnswer]) -> None:
        """Write down why each of these gave no answer."""
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        for host, reason in reasons.items():
            if host in self.open:
                self._write(NodeRecord(schema=RECORD_SCHEMA, host=host, time=now, no_answer=reason))

    def show(self) -> None:
        """Draw how far it is, at a terminal."""
        if sys.stderr.isatty() and (time.monotonic() - self._shown > _PAUSE or not self.open):
            self._shown = time.monotonic()
            done = self.answered / max(self.total, 1)
            bar = ("#" * int(30 * done)).ljust(30)
            _draw(f"\r\x1b[K[{bar}] {self.answered:,} of {self.total:,} (Ctrl-C keeps them)")

    def _write(self, record: NodeRecord) -> None:
        line = encode(record) + b"\n"
        try:
            if self._file is not None:
                self._file.write(line)
            else:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
        except OSError as error:
            raise CannotWrite(f"the answers could not be written: {error.strerror or error}") from None

    def _end_the_last_line(self, path: str) -> None:
        """A run that was killed may have left half a line: what comes next must not be joined to it."""
        assert self._file is not None
        if os.path.isfile(path) and os.path.getsize(path):
            with open(path, "rb") as file:
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    self._file.write(b"\n")


def _draw(text: str) -> None:
    with suppress(OSError, ValueError):  # the terminal is gone
        sys.stderr.write(text)
        sys.stderr.flush()
