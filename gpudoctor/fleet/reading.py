"""Reads files of node records line by line; lines that are no record are reported and skipped."""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import IO

import msgspec

from gpudoctor.errors import Misused
from gpudoctor.facts.typed_json import decoder
from gpudoctor.fleet.node_names import is_name
from gpudoctor.fleet.overview import Unreadable
from gpudoctor.fleet.record import RECORD_SCHEMA, NodeRecord
from gpudoctor.host.safe_files import stream_given

#: Bytes of a line; a record has some 5,000.
_LONGEST = 1 << 20
#: Parts of that length after which a line is given up, and its file.
_MOST_PARTS = 64
_HOST = re.compile(rb'"host"\s*:\s*"([^"\\]{1,255})"')


class _Envelope(msgspec.Struct):
    schema: int


_DECODER = decoder(NodeRecord)
_ENVELOPE = decoder(_Envelope)


def read_files(paths: Iterable[str]) -> Iterator[NodeRecord | Unreadable]:
    """The records of all files, "-" for standard input. Raises Misused for a file that cannot be read."""
    for path in paths:
        name = "standard input" if path == "-" else os.fsencode(path).decode(errors="replace")
        try:
            with nullcontext(sys.stdin.buffer) if path == "-" else stream_given(path) as file:
                yield from read_lines(file, name)
        except OSError as error:
            raise Misused(f"{name}: {error.strerror or error}", "FILES") from None


def read_lines(file: IO[bytes], name: str) -> Iterator[NodeRecord | Unreadable]:
    """The records of one file; empty lines are none."""
    number = 0
    while raw := file.readline(_LONGEST):
        number += 1
        if len(raw) == _LONGEST and not raw.endswith(b"\n"):
            _skip_line(file)
            yield Unreadable(where=f"{name}:{number}", reason="the line is longer than 1 MiB")
            continue
        try:
            record = _DECODER.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if raw.strip():
                yield _unreadable(raw, f"{name}:{number}", error)
            continue
        if record.schema == RECORD_SCHEMA and is_name(record.host):
            yield record
        else:
            yield _refused(record, f"{name}:{number}")


def _skip_line(file: IO[bytes]) -> None:
    for _ in range(_MOST_PARTS):
        part = file.readline(_LONGEST)
        if not part or part.endswith(b"\n"):
            return
    raise OSError(None, f"a line of it is longer than {_MOST_PARTS} MiB, so it is no file of records")


def _refused(record: NodeRecord, where: str) -> Unreadable:
    if not is_name(record.host):
        return Unreadable(where=where, reason=f"{record.host[:80]!a} is no name of a node")
    return Unreadable(where=where, reason=_another_schema(record.schema), host=record.host)


def _another_schema(schema: int) -> str:
    return f"its schema is {schema}, and this gpudoctor reads {RECORD_SCHEMA}: use one version on all nodes"


def _unreadable(raw: bytes, where: str, error: Exception) -> Unreadable:
    found = _HOST.search(raw)
    host = found[1].decode(errors="replace") if found else None
    reason = "it is not a record of `gpudoctor node`"
    if raw.lstrip().startswith(b"{") and not raw.rstrip().endswith(b"}"):
        reason = "it is half-written"
    elif raw.lstrip().startswith(b"{"):
        reason = f"{reason}: {error}"
        try:
            schema = _ENVELOPE.decode(raw).schema
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            schema = RECORD_SCHEMA
        if schema != RECORD_SCHEMA:
            reason = _another_schema(schema)
    return Unreadable(where=where, reason=reason, host=host if host and is_name(host) else None)
