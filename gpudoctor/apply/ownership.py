"""Which files of an environment belong to packages (RECORD, conda-meta); all others are the user's.

RECORD of a dist-info (packaging.python.org, recording installed projects), installed-files.txt of an egg-info, what
conda-meta lists, and what `python -m venv`, virtualenv and uv make.
"""

import csv
import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

import msgspec

from gpudoctor.apply.conda_cache import linked_by_conda
from gpudoctor.apply.distributions import site_folders
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.typed_json import decode_json

#: What makes a folder a virtual environment; its other files of that kind are said to be this one's.
SETTINGS = "pyvenv.cfg"
CONDA = "conda-meta"
IGNORED = ".gitignore"
_SKELETON = re.compile(
    r"pyvenv\.cfg|lib64|\.lock|CACHEDIR\.TAG|"
    r"(?:bin|Scripts)/(?:(?:python|pypy|𝜋thon)w?[\d.]*t?(?:\.exe|-config)?|"
    r"activate(?:[._][\w.]*)?|Activate\.ps1|deactivate(?:\.\w+)?|pydoc\.bat)|"
    r"(?:lib|Lib)/(?:python[\d.]+/)?site-packages/_virtualenv\.(?:py|pth)"
)
#: What conda itself writes into its folder; pins and variables there are the user's.
_OF_CONDA = re.compile(rf"{CONDA}/(?:[^/]+\.json|history|initial-state\.explicit\.txt|\.\w+)")
#: Folders of a virtual environment that are there without any file.
FRAME = re.compile(r"bin|Scripts|include(?:/.*)?|(?:lib64|[lL]ib)(?:/python[\d.]+)?(?:/site-packages)?")


class _Linked(msgspec.Struct):
    """The part of a file of conda-meta that lists what it put there."""

    files: tuple[str, ...] = ()


class Ownership:
    """The owners in one environment at one moment. `half`: an installer was ended while it wrote there."""

    def __init__(self, environment: str, *, half: bool = False) -> None:
        self._environment = os.path.realpath(environment)
        self._owners: dict[str, str] = dict(self._listed())
        if half:
            for path in linked_by_conda(self._environment):
                self._owners.setdefault(path, path)

    def owner_of(self, path: str) -> str | None:
        """The path of the list that names the file; None: it is the user's."""
        posix = path.replace(os.sep, "/")
        if _SKELETON.fullmatch(posix) or (posix == IGNORED and self._ignores_all()):
            return SETTINGS
        if _OF_CONDA.fullmatch(posix):
            return path
        return self._owners.get(path) or self._owner_of_bytecode(path)

    def _ignores_all(self) -> bool:
        """Whether git is told nothing but to ignore the whole environment, as venv, virtualenv and uv do."""
        with suppress(OSError), open(os.path.join(self._environment, IGNORED), "rb") as stream:
            lines = [line.strip() for line in stream.read(1000).splitlines()]
            return [line for line in lines if line and not line.startswith(b"#")] == [b"*"]
        return False

    def _owner_of_bytecode(self, path: str) -> str | None:
        folder, name = os.path.split(path)
        if os.path.basename(folder) != "__pycache__" or not name.endswith((".pyc", ".pyo")):
            return None
        source = os.path.join(os.path.dirname(folder), f"{name.split('.')[0]}.py")
        return self._owners.get(source)

    def _listed(self) -> Iterator[tuple[str, str]]:
        for site in site_folders(self._environment):
            inside = os.path.relpath(os.path.realpath(site), self._environment)
            with suppress(OSError):
                for name in os.listdir(site):
                    yield from self._of_metadata(inside, name)
        for path in glob.glob(os.path.join(glob.escape(self._environment), CONDA, "*.json")):
            notes = os.path.join(CONDA, os.path.basename(path))
            with suppress(OSError, msgspec.MsgspecError), open(path, "rb") as stream:
                linked = decode_json(stream.read(), type=_Linked)
                yield from ((os.path.normpath(file), notes) for file in linked.files)

    def _of_metadata(self, inside: str, name: str) -> Iterator[tuple[str, str]]:
        """Its files, and what it lists."""
        here = os.path.join(inside, name)
        if name.endswith(".dist-info"):
            record = os.path.join(here, "RECORD")
            yield from ((file, record) for file in self._below(here))
            yield from ((file, record) for file in _joined(inside, self._rows(record)))
        elif name.endswith((".egg-info", ".egg")):
            names = os.path.join(here, "installed-files.txt")
            yield here, here
            yield from ((file, names) for file in self._below(here))
            yield from ((file, names) for file in _joined(here, self._rows(names)))
        elif name.endswith(".egg-link") or name == "easy-install.pth":
            yield here, here

    def _below(self, inside: str) -> Iterator[str]:
        for folder, _, names in os.walk(os.path.join(self._environment, inside)):
            yield from (os.path.relpath(os.path.join(folder, name), self._environment) for name in names)

    def _rows(self, path: str) -> tuple[str, ...]:
        """The first field of each line."""
        try:
            with open(os.path.join(self._environment, path), newline="", encoding="utf-8") as stream:
                return tuple(row[0] for row in csv.reader(stream) if row)
        except (OSError, ValueError, csv.Error):
            return ()


def _joined(inside: str, names: Iterable[str]) -> Iterator[str]:
    """Paths in the environment; normalising is slow, and few names need it."""
    for name in names:
        plain = ".." not in name and os.sep == "/"
        yield f"{inside}/{name}" if plain else os.path.normpath(os.path.join(inside, name))
