"""Refuses a change before it begins: into a system's Python, conda's base, or a folder with something else in it."""

import os
import shlex
import sys
import tempfile

from gpudoctor.facts.python import Interpreter


class Refused(RuntimeError):
    """Nothing was changed, and the message says why."""


class Unreachable(Refused):
    """A package index that the command names did not answer."""


def check_target(target: Interpreter, *, conda_base: bool = False) -> str:
    """The folder of an interpreter's environment, where packages may be installed into it. Raises Refused."""
    kind, prefix = target.environment, target.prefix
    if kind == "conda-base" and not conda_base:
        raise Refused(
            f"{prefix} is conda's base environment, which conda itself runs from. Name another one: --conda NAME. "
            "If it must be base: --conda base."
        )
    if target.externally_managed and kind not in ("venv", "conda"):
        raise Refused(
            f"{target.executable} belongs to the operating system or to a tool that says so (EXTERNALLY-MANAGED), and "
            "packages installed into it can break them. Make an environment: --venv DIR."
        )
    if kind == "system" and sys.platform != "win32" and os.geteuid() == 0:
        raise Refused(f"{target.executable} is the system's Python, and this is root. Make an environment: --venv DIR.")
    if kind not in ("venv", "conda", "conda-base") or prefix is None:
        raise Refused(
            f"{target.executable} is a Python of its own, shared by everything that is run with it. Packages are "
            "installed only where they can be taken back whole, in an environment: --venv DIR."
        )
    return os.path.abspath(prefix)


def check_folder(environment: str, *, exists: bool, stays: bool = False) -> None:
    """Whether an environment can be put into this place. Raises Refused.

    `stays`: it is there, and its packages change.
    """
    parent = os.path.dirname(environment)
    if any(character in environment for character in "\0\n\r") or os.pathsep in environment:
        raise Refused(f"{environment!r} cannot be the path of an environment: it holds a line break or {os.pathsep!r}.")
    if any("\ud800" <= character <= "\udfff" for character in environment):
        raise Refused(f"{environment!r} holds bytes that are not UTF-8, so that no journal of changes can name it.")
    if stays:
        _check_writable(environment)
        return
    there = _nearest(parent)
    if not os.path.isdir(there):
        raise Refused(f"{there} is a file, so {environment} cannot be made below it.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise Refused(f"{there} cannot be written by this user. Choose another place: --venv DIR.")
    if reason := _cannot_hold(there):
        raise Refused(f"{environment} cannot be made: {there} takes no new files ({reason}).")
    if exists and (os.path.ismount(environment) or os.stat(environment).st_dev != os.stat(parent).st_dev):
        raise Refused(
            f"{environment} is a file system of its own, so that another folder cannot take its place. Make the "
            f"environment in a folder on it: --venv {shlex.quote(os.path.join(environment, 'env'))}."
        )
    if exists:
        _check_writable(environment)


def _check_writable(environment: str) -> None:
    if not os.access(environment, os.W_OK | os.X_OK):
        raise Refused(f"{environment} cannot be written by this user. Choose another place: --venv DIR.")
    if reason := _cannot_hold(environment):
        raise Refused(f"{environment} cannot be changed: it takes no new files ({reason}).")


def check_new(environment: str, *, replace: bool) -> None:
    """Whether a new environment may take this place. Raises Refused."""
    if not os.path.lexists(environment) or (os.path.isdir(environment) and not os.listdir(environment)):
        return
    if not os.path.isfile(os.path.join(environment, "pyvenv.cfg")):
        raise Refused(f"{environment} exists and is no virtual environment. Choose another place: --venv DIR.")
    if not replace:
        raise Refused(
            f"{environment} exists. To install into it: --python {environment}. To put a new environment in its place "
            "(the old one is kept for `gpudoctor undo`): --replace."
        )


def check_empty(environment: str) -> None:
    """Whether a new environment of conda may be made in this folder: conda would take what is there for its own.

    Raises Refused.
    """
    if os.path.lexists(environment) and not (os.path.isdir(environment) and not os.listdir(environment)):
        raise Refused(f"{environment} exists and is no environment of conda. Choose another name: --conda NAME.")


def _cannot_hold(folder: str) -> str | None:
    """Why no file can be made in a folder that says it can be written: /proc, a file system that ran out of names."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _nearest(path: str) -> str:
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path
