"""Reads and writes snapshots and reports as JSON; errors name the path of the bad field."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from gpudoctor.facts.base import Fact, Section
from gpudoctor.facts.bounded import bounded, bounded_lines
from gpudoctor.facts.snapshot import SNAPSHOT_SCHEMA, Snapshot
from gpudoctor.facts.typed_json import convert_to, decode_json
from gpudoctor.facts.versions import DOTTED_TYPES, schema_of

_S = TypeVar("_S", bound=Section)
_F = TypeVar("_F", bound=Fact)

#: A recorded machine is some 100 kB; anything far larger is not one.
MAX_BYTES = 64 * 1024 * 1024
#: Characters of a text in a snapshot that need no look; and of the longest that is kept, a log with its traceback.
_SHORT, _LONGEST_TEXT = 250, 200_000


class NotASnapshot(ValueError):
    """The bytes are not a snapshot that this version can read; the message says why in one sentence."""


def _encode(value: object) -> str:
    if isinstance(value, DOTTED_TYPES):
        return str(value)
    raise NotImplementedError(type(value))


def _decode(kind: type, value: object) -> Any:
    if kind in DOTTED_TYPES:
        return kind(str(value))
    raise NotImplementedError(kind)


_ENCODER = msgspec.json.Encoder(enc_hook=_encode)


def encode(value: Fact, *, indent: int | None = None) -> bytes:
    """The JSON of a snapshot, report or any other fact, UTF-8; `indent` None is one line."""
    raw = _ENCODER.encode(value)
    return raw if indent is None else msgspec.json.format(raw, indent=indent)


def decode(raw: bytes, kind: type[_F]) -> _F:
    """A fact that `encode` wrote. Raises msgspec.DecodeError."""
    return decode_json(raw, type=kind, dec_hook=_decode)


def decode_snapshot(raw: bytes) -> Snapshot:
    """The snapshot in `raw`, or in the report that `raw` is. Raises NotASnapshot for anything else, newer or not."""
    if len(raw) > MAX_BYTES:
        raise NotASnapshot(f"it is larger than {MAX_BYTES // 1024**2} MiB, and no snapshot is")
    if not raw.strip():
        raise NotASnapshot("it is empty")
    raw = _inner(raw)
    _refuse_newer(raw)
    try:
        return _with_bounded_texts(decode_json(raw, type=Snapshot, dec_hook=_decode), raw)
    except RecursionError:
        raise NotASnapshot("it is not a gpudoctor snapshot: it is nested too deeply") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise NotASnapshot(f"it is not a gpudoctor snapshot: {error}") from None


def _with_bounded_texts(snapshot: Snapshot, raw: bytes) -> Snapshot:
    """The snapshot as a look at a machine could have given it: no text of it longer than what is written down."""
    if max(map(len, raw.split(b'"'))) <= _SHORT:
        return snapshot
    return from_plain(_each_text(to_plain(snapshot), _within_bounds), Snapshot)


def _within_bounds(text: str) -> str:
    if len(text) <= _SHORT:
        return text
    return "\n".join(bounded_lines(bounded(text[:_LONGEST_TEXT]).split("\n")))


def to_plain(fact: Fact) -> Any:
    """The fact as dictionaries, lists, texts and numbers."""
    return msgspec.to_builtins(fact, enc_hook=_encode)


def from_plain(value: Any, kind: type[_F]) -> _F:
    """The fact that `to_plain` made plain. Raises msgspec.ValidationError."""
    return convert_to(value, kind, dec_hook=_decode)


def presentable(section: _S) -> _S:
    """The section with bytes that are no UTF-8 (names in another encoding) replaced, so that it can be written."""
    try:
        _ENCODER.encode(section)
    except UnicodeEncodeError:
        return from_plain(_replaced(to_plain(section)), type(section))
    return section


def _replaced(value: Any) -> Any:
    return _each_text(value, lambda text: text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """A plain value with every text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _each_text(item, change) for key, item in value.items()}
    return [_each_text(item, change) for item in value] if isinstance(value, list | tuple) else value


class _Envelope(msgspec.Struct):
    schema: int | None = None


class _ReportEnvelope(msgspec.Struct):
    diagnosis: msgspec.Raw
    snapshot: msgspec.Raw


def _inner(raw: bytes) -> bytes:
    """The snapshot within a report; anything else as it is."""
    try:
        return bytes(decode_json(raw, type=_ReportEnvelope).snapshot)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return raw


def _refuse_newer(raw: bytes) -> None:
    try:
        schema = decode_json(raw, type=_Envelope).schema
    except RecursionError:
        raise NotASnapshot("it is not a gpudoctor snapshot: it is nested too deeply") from None
    except (msgspec.DecodeError, ValueError) as error:
        raise NotASnapshot(f"it is not a gpudoctor snapshot: {error}") from None
    if schema is None:
        raise NotASnapshot('it is JSON, but it has no "schema" number, so it is not a gpudoctor snapshot')
    if schema > SNAPSHOT_SCHEMA:
        raise NotASnapshot(
            f"its schema is {schema}, and this gpudoctor reads up to {SNAPSHOT_SCHEMA}; update gpudoctor to read it"
        )


def json_schema() -> dict[str, Any]:
    """The public JSON Schema of a snapshot."""
    return msgspec.json.schema(Snapshot, schema_hook=schema_of)
