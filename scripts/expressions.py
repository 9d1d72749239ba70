"""The expressions of the package, in its code and its tables, each with the words that it demands."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from needles import ways_of

import gpudoctor
from gpudoctor.facts.lazy_re import Expression
from gpudoctor.knowledge.answers import answers
from gpudoctor.knowledge.known_surroundings import surroundings
from gpudoctor.knowledge.programs import programs
from gpudoctor.knowledge.statements import statements
from gpudoctor.tables import expressions_of
from gpudoctor.tickets.readers import READERS

NEEDLES = Path(gpudoctor.__file__).parent / "facts" / "needles.json"
#: What a ticket or a check runs.
_PACKAGES = (
    "facts", "sources", "redact", "knowledge", "tickets", "inference", "rules", "diagnosis", "verify", "plan", "probes",
    "examine", "report",
)  # fmt: skip


def needles() -> bytes:
    """The words of each expression, one expression a line."""
    ways = {pattern: ways_of(pattern) for pattern in sorted({*_of_code(), *_of_tables()})}
    lines = (msgspec.json.encode(one) + b":" + msgspec.json.encode(words) for one, words in ways.items() if words)
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _of_code() -> Iterator[str]:
    for package in _PACKAGES:
        folder = [f"{path}/{package}" for path in gpudoctor.__path__]
        for module in pkgutil.walk_packages(folder, f"gpudoctor.{package}."):
            yield from _in(vars(importlib.import_module(module.name)).values())
    yield from (reader.holds for reader in READERS if reader.holds)


def _in(values: Iterable[Any], deep: int = 4) -> Iterator[str]:
    """The expressions among the values of a module, and in their collections."""
    for value in values if deep else ():
        if isinstance(value, Expression) and isinstance(value.pattern, str):
            yield value.pattern
        elif isinstance(value, dict):
            yield from _in(value.values(), deep - 1)
        elif isinstance(value, tuple | list):
            yield from _in(value, deep - 1)


def _of_tables() -> Iterator[str]:
    for table in ("places", "surroundings"):
        yield from expressions_of(f"knowledge/{table}").values()
    for program in programs():
        yield from (*program.prints, *program.named)
    yield from (one.shown for one in answers() if one.shown)
    for said in statements():
        yield from ("|".join(said.pattern), *said.unless, *said.open_beside)
    for surrounding in surroundings():
        yield from (*surrounding.pattern, *surrounding.unless)
