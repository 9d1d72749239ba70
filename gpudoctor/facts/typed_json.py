"""JSON decoding to a given type, safe when several threads do it at once."""

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

_T = TypeVar("_T")
Hook = Callable[[type, Any], Any]
_DECODERS: dict[tuple[Any, Hook | None], msgspec.json.Decoder[Any]] = {}
_ONE_AT_A_TIME = threading.Lock()


def decode_json(raw: bytes | str, *, type: type[_T], dec_hook: Hook | None = None) -> _T:  # noqa: A002 - as msgspec
    """As msgspec.json.decode. Raises msgspec.DecodeError."""
    found: _T = decoder(type, dec_hook).decode(raw)
    return found


def convert_to(value: object, kind: type[_T], *, dec_hook: Hook | None = None) -> _T:
    """As msgspec.convert. Raises msgspec.ValidationError."""
    decoder(kind, dec_hook)
    return msgspec.convert(value, kind, dec_hook=dec_hook)


def decoder(kind: Any, dec_hook: Hook | None = None) -> msgspec.json.Decoder[Any]:
    """The decoder of a type, which is made once.

    What msgspec notes of a class at its first use it notes without a lock: two threads that use it first at the same
    time end the process by SIGSEGV (seen with 0.22.0).
    """
    made = _DECODERS.get((kind, dec_hook))
    if made is None:
        with _ONE_AT_A_TIME:
            made = _DECODERS.setdefault((kind, dec_hook), msgspec.json.Decoder(kind, dec_hook=dec_hook))
    return made


def _free() -> None:
    """In a fork: the thread that held it is not there."""
    global _ONE_AT_A_TIME  # noqa: PLW0603
    _ONE_AT_A_TIME = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free)
