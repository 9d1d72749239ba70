"""Reads the commands, files and machine that `verify` and `check --dockerfile` are given."""

import os
from collections.abc import Iterator

from gpudoctor.errors import CannotExamine
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.redact.credentials import without_credentials
from gpudoctor.verify.given import given_of
from gpudoctor.verify.split_commands import MOST_CHARACTERS
from gpudoctor.verify.verdict import Given

#: Ends of names that are those of a file, and no command.
_FILES = (".txt", ".in", ".sh", ".bash", ".yml", ".yaml", ".ps1", ".bat", ".cmd", "dockerfile", "containerfile")
_PROJECT = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "pyproject.toml")
_NOT_READ = (".toml", ".lock", ".json", ".py", ".ipynb", ".whl", ".cfg")


def cleaned(inputs: tuple[str, ...]) -> Iterator[tuple[str | None, str]]:
    """Without credentials before anything is taken apart: a word alone no longer says that it is a password."""
    return ((name, without_credentials(text)) for name, text in _texts(inputs))


def of_file(path: str, matrix: Matrix) -> Given:
    """The machine of a snapshot, a report or a ticket. Raises CannotExamine."""
    # Imported here: only --for reads tickets.
    from gpudoctor.examine.tickets import Unreadable, read_input, subject_of

    try:
        return given_of(subject_of(read_input(path), matrix).snapshot, matrix)
    except Unreadable as error:
        raise CannotExamine(f"{path} names no machine: {error}.") from None


def _texts(inputs: tuple[str, ...]) -> list[tuple[str | None, str]]:
    """The commands, and the texts of files. Raises CannotExamine."""
    found: list[tuple[str | None, str]] = []
    for one in inputs:
        lowered = one.lower()
        is_name = " " not in one.strip() and "\n" not in one
        is_project = is_name and (lowered.endswith(_PROJECT) or os.path.basename(lowered).startswith("pylock."))
        if is_name and lowered.endswith(_NOT_READ) and "==" not in one and not is_project:
            raise CannotExamine(
                f"{one} is not read. Give commands, a requirements, lock or project file, a Dockerfile, a Compose file "
                "or a script."
            )
        if one == "-" or is_project or (is_name and (os.path.exists(one) or lowered.endswith(_FILES))):
            found.append((None if one == "-" else one, _text(one)))
        else:
            found.append((None, one))
    return found


def _text(path: str) -> str:
    # Imported here: a command on the command line needs no file.
    from gpudoctor.examine.tickets import Unreadable, read_input

    try:
        raw = read_input(path).raw
    except Unreadable as error:
        raise CannotExamine(f"{path} could not be read: {error}.") from None
    if len(raw) > MOST_CHARACTERS:
        raise CannotExamine(f"{path} is larger than {MOST_CHARACTERS // 1024} KiB, and no list of commands is.")
    if b"\0" in raw[:4096]:
        raise CannotExamine(f"{path} is no text.")
    return raw.decode("utf-8", "replace")
