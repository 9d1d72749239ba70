"""Which files the MCP server may read: only those that really lie in folders the user named."""

import os
import shutil
import stat
from typing import NamedTuple


class NotAllowed(Exception):
    """The path may not be read; the message says why and what to do. The path is not repeated."""


class Folders(NamedTuple):
    """The folders, without links; and those of environments, in which interpreters may be named."""

    roots: tuple[str, ...]
    environments: tuple[str, ...]

    def file(self, path: str) -> str:
        """The file of that name, without links. Raises NotAllowed."""
        real = self._real(path)
        try:
            status = os.stat(real)
        except (OSError, ValueError):
            raise NotAllowed("there is no such file, or it may not be read.") from None
        if not stat.S_ISREG(status.st_mode):
            raise NotAllowed("it is no regular file.")
        return real

    def interpreter(self, path: str) -> str:
        """The path of an interpreter or of its environment's folder; a link of a venv is not followed. NotAllowed."""
        absolute = os.path.join(self.roots[0], path)
        # Of `env/bin/python` it is the folder that says whose it is: the file leads to the system's.
        folder = absolute if os.path.isdir(absolute) else os.path.dirname(absolute)
        self._real(folder, self.environments)
        if not os.path.exists(absolute):
            raise NotAllowed("there is nothing of that name.")
        return absolute

    def new(self, path: str) -> str:
        """A folder that may be made. Raises NotAllowed."""
        return self._real(path)

    def _real(self, path: str, more: tuple[str, ...] = ()) -> str:
        """The path without links, in one of the folders or of `more`. Raises NotAllowed."""
        try:
            real = os.path.realpath(os.path.join(self.roots[0], path))
        except (OSError, ValueError):
            raise NotAllowed("no file can have this name.") from None
        if not _is_in(real, (*self.roots, *more)):
            named = "the folder that the server may read" if len(self.roots) == 1 else "the folders that it may read"
            raise NotAllowed(f"it is outside of {named}. Start the server with --root DIR to allow its folder.")
        return real


def folders_of(roots: tuple[str, ...]) -> Folders:
    """The folders that were named, else the working directory; and the environment that a check examines by itself."""
    own = os.environ.get("VIRTUAL_ENV"), os.environ.get("CONDA_PREFIX")
    python = shutil.which("python3") or shutil.which("python")
    found = [*filter(None, own), *([os.path.dirname(os.path.dirname(python))] if python else ())]
    environments = [os.path.realpath(folder) for folder in found]
    return Folders(
        tuple(os.path.realpath(root) for root in roots or (os.getcwd(),)),
        # "/usr" holds every program of the system, and is no environment.
        tuple(one for one in environments if os.path.exists(os.path.join(one, "pyvenv.cfg")) or "conda" in one),
    )


def _is_in(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)
