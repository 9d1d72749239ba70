"""Finds and loads the matrix tables: the user's update, else the shipped `compat`."""

import os
from functools import lru_cache

from gpudoctor.knowledge.matrix.editions import current
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import MatrixUnreadable

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = (os.path.join(_PACKAGE, "compat"), os.path.join(os.path.dirname(_PACKAGE), "compat"))


def folder() -> str:
    """The folder of the tables that ship with this version. Raises MatrixUnreadable."""
    for path in FOLDERS:
        if os.path.isfile(os.path.join(path, "torch.json")):
            return path
    raise MatrixUnreadable("the compatibility tables are missing from this installation; reinstall gpudoctor")


def read_table(name: str, path: str | None = None) -> bytes:
    """The bytes of a table. Raises MatrixUnreadable."""
    file = os.path.join(path or folder(), f"{name}.json")
    try:
        with open(file, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise MatrixUnreadable(f"the compatibility table {name}.json cannot be read: {error.strerror}") from None


@lru_cache(maxsize=1)
def load_matrix() -> Matrix:
    """The user's newer matrix, else the one that ships with this version. Each table is read when it is first asked."""
    update = current(folder()) if is_shipped() else None
    if update is None:
        return Matrix(read_table)
    path = update[0]
    return Matrix(lambda name: read_table(name, path))


def is_shipped() -> bool:
    """Whether this version has its tables."""
    return any(os.path.isfile(os.path.join(path, "torch.json")) for path in FOLDERS)
