"""Loads the data tables beside the code: .tsv as people edit them, and the JSON compiled from them."""

import os
from typing import TypeVar

from gpudoctor.facts.typed_json import decode_json

_T = TypeVar("_T")
FOLDER = os.path.dirname(os.path.abspath(__file__))


def rows_of(table: str) -> list[list[str]]:
    """The lines of a .tsv (knowledge/places) but its comments, each parted at its tabs."""
    with open(f"{FOLDER}/{table}.tsv", encoding="utf-8") as stream:
        return [line.rstrip("\n").split("\t") for line in stream if not line.startswith("#")]


def expressions_of(table: str) -> dict[str, str]:
    """The regular expression of each name in a .tsv; of a name with several lines, one of which must match."""
    found: dict[str, list[str]] = {}
    for name, expression in rows_of(table):
        found.setdefault(name, []).append(expression)
    return {name: "|".join(several) for name, several in found.items()}


def words_of(table: str) -> dict[str, tuple[str, ...]]:
    """The words of each name in a .tsv, which has them parted by |, on one line or several."""
    return {name: tuple(words.split("|")) for name, words in expressions_of(table).items()}


def lines_of(table: str) -> list[bytes]:
    """The records of a .json that has one a line, each as it is written, with its comma."""
    with open(f"{FOLDER}/{table}.json", "rb") as stream:
        return stream.read().splitlines()[1:-1]


def records_of(table: str, kind: type[_T]) -> _T:
    """What a .json holds."""
    with open(f"{FOLDER}/{table}.json", "rb") as stream:
        return decode_json(stream.read(), type=kind)
