"""The matrix as if nothing newer than some releases were known: answers to open wishes then stay the same."""

import json
from functools import lru_cache
from typing import Any

from packaging.version import Version

from gpudoctor.knowledge.matrix.load import read_table
from gpudoctor.knowledge.matrix.query import Matrix

#: For each table: the field of the release, and the first release that is left out.
CUT = {
    "torch": ("version", "2.10"),
    "companions": ("torch", "2.10"),
    "tensorflow": ("first", "2.20"),
    "keras": ("tensorflow", "2.20"),
    "protobuf": ("tensorflow", "2.20"),
    "jax": ("version", "0.8"),
    "cudnn": ("cudnn", "9.15"),
}


def _read(name: str) -> bytes:
    raw = read_table(name)
    if name not in CUT:
        return raw
    document: dict[str, Any] = json.loads(raw)
    field, end = CUT[name]
    document["rows"] = [row for row in document["rows"] if Version(row[field]) < Version(end)]
    return json.dumps(document).encode()


@lru_cache(maxsize=1)
def old_matrix() -> Matrix:
    return Matrix(_read)
