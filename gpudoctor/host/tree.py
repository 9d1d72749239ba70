"""The directory tree that a set of file paths implies."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

_T = TypeVar("_T")


class Tree:
    """Names by directory. Keys are paths without a closing slash (the root is ""), on Windows without case."""

    def __init__(self, *, windows: bool = False) -> None:
        self._windows = windows
        #: Names, in their own case, by the key of their directory.
        self._names: dict[str, dict[str, str]] = {}

    def key(self, path: str) -> str:
        """The form in which a path is looked up."""
        return (path.replace("\\", "/").lower() if self._windows else path).rstrip("/")

    def keyed(self, table: Mapping[str, _T]) -> dict[str, _T]:
        """The table by key; its paths are planted."""
        for path in table:
            self.plant(path)
        return {self.key(path): value for path, value in table.items()}

    def plant(self, path: str) -> None:
        """Add a path and the directories that lead to it."""
        rest = (path.replace("\\", "/") if self._windows else path).rstrip("/")
        while "/" in rest:
            rest, _, name = rest.rpartition("/")
            names = self._names.setdefault(self.key(rest), {})
            if self.key(name) in names:
                return
            names[self.key(name)] = name

    def plant_directory(self, path: str, names: Iterable[str]) -> None:
        """Add a directory, which may be empty, and the names in it."""
        self.plant(path)
        self._names.setdefault(self.key(path), {}).update((self.key(name), name) for name in names)

    def is_directory(self, key: str) -> bool:
        """Whether something is below it, or it was planted as one."""
        return key in self._names

    def has(self, key: str) -> bool:
        """Whether there is such a path."""
        parent, _, name = key.rpartition("/")
        return key in self._names or name in self._names.get(parent, {})

    def names(self, key: str) -> tuple[str, ...] | None:
        """The sorted names in a directory; None where there is none."""
        names = self._names.get(key)
        return None if names is None else tuple(sorted(names.values()))
