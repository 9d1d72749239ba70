"""Reads and writes the files of compat/: one row a line, so that a diff shows rows."""

import json
import os
from typing import Any

from gpudoctor.knowledge.matrix.load import folder

Rows = list[dict[str, Any]]


def read_file(name: str) -> dict[str, Any]:
    """A table as it is in its file."""
    with open(_path(name), encoding="utf-8") as stream:
        document: dict[str, Any] = json.load(stream)
    return document


def write_file(document: dict[str, Any]) -> bool:
    """Write a table; False where the file says the same already."""
    path, text = _path(document["table"]), as_text(document)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            if stream.read() == text:
                return False
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return True


def as_text(document: dict[str, Any]) -> str:
    """The text of a table's file."""
    sources = _block(document["sources"].items(), lambda item: f"{_json(item[0])}: {_json(item[1])}")
    rows = _block(document["rows"], _json)
    return (
        f'{{\n "table": {_json(document["table"])},\n "checked": {_json(document["checked"])},\n'
        f' "sources": {{\n{sources}\n }},\n "rows": [\n{rows}\n ]\n}}\n'
    )


def source_id(document: dict[str, Any], citation: str) -> str:
    """The id of a citation, added where the table does not have it yet."""
    sources: dict[str, str] = document["sources"]
    for name, text in sources.items():
        if text == citation:
            return name
    name = f"s{1 + max((int(known[1:]) for known in sources), default=0)}"
    sources[name] = citation
    return name


def drop_unused_sources(document: dict[str, Any]) -> None:
    """Forget citations that no row uses any more."""
    used = {row["source"] for row in document["rows"]}
    document["sources"] = {name: text for name, text in document["sources"].items() if name in used}


def _path(name: str) -> str:
    return os.path.join(folder(), f"{name}.json")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _block(items: Any, write: Any) -> str:
    return ",\n".join(f"  {write(item)}" for item in items)
