"""Finds the tables: `compat` beside the modules (an installed package), or at the root of a checkout."""

import os
from functools import lru_cache

from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import MatrixUnreadable

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = (os.path.join(_PACKAGE, "compat"), os.path.join(os.path.dirname(_PACKAGE), "compat"))


def folder() -> str:
    """The folder of the tables. Raises MatrixUnreadable."""
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
    """The matrix that ships with this version. Each table is read when it is first asked."""
    return Matrix(read_table)
