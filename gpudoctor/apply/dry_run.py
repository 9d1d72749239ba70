"""Dry runs of pip, uv and conda: what an install command would do, with the user's own index settings."""

import os
import re
from collections.abc import Callable, Mapping
from typing import Literal

from msgspec.structs import replace

from gpudoctor.apply.dry_run_conda import ask_conda
from gpudoctor.apply.dry_run_pip import ask_pip
from gpudoctor.apply.dry_run_result import Verification
from gpudoctor.apply.dry_run_uv import ask_uv, locked

_CONDAS = frozenset({"conda", "mamba", "micromamba"})


def is_install(argv: tuple[str, ...]) -> bool:
    """Whether this command is one of those that can be verified: of uv, pip and conda those that install."""
    return is_uv(argv) or is_pip(argv) or is_conda(argv)


def is_uv(argv: tuple[str, ...]) -> bool:
    """Whether it is uv's installing."""
    return _program(argv) == "uv" and argv[1:3] == ("pip", "install")


def is_pip(argv: tuple[str, ...]) -> bool:
    """Also where it is run through another program: conda run --prefix P python -m pip install."""
    return any(argv[at : at + 3] == ("-m", "pip", "install") for at in range(min(10, len(argv))))


def is_compiled(argv: tuple[str, ...]) -> bool:
    """Whether it compiles against what is installed in the environment by then; before, it cannot be asked about."""
    return "--no-build-isolation" in argv


def is_conda(argv: tuple[str, ...]) -> bool:
    """Whether it is conda's own installing, or that of a program with the same commands."""
    return _program(argv) in _CONDAS and argv[1:2] in (("install",), ("create",))


def tool_of(argv: tuple[str, ...]) -> Literal["pip", "uv", "conda"]:
    """What installs, of a command that can be verified."""
    return "uv" if is_uv(argv) else "conda" if is_conda(argv) else "pip"


def asked(argv: tuple[str, ...]) -> str:
    """The command that is asked, in words."""
    if is_conda(argv):
        return f"{_program(argv)} {argv[1]} --dry-run"
    return "uv pip install --dry-run" if is_uv(argv) else "pip install --dry-run"


def verify(
    argv: tuple[str, ...], env: Mapping[str, str], keep_open: tuple[int, ...], tick: Callable[[], None]
) -> Verification:
    """Ask the installer what `argv`, an install command, would do. `tick` is called about once a second.

    uv does not say from which files; see `with_files`.
    """
    ask = ask_uv if is_uv(argv) else ask_conda if is_conda(argv) else ask_pip
    return ask(asked(argv), argv, env, keep_open, tick)


def with_files(found: Verification, argv: tuple[str, ...], env: Mapping[str, str]) -> Verification:
    """The answer, with the files that would be installed, which takes uv up to several seconds."""
    if found.archives is not None or not found.installs or not is_uv(argv):
        return found
    return replace(found, archives=locked(argv, env, found.installs))


def _program(argv: tuple[str, ...]) -> str:
    return re.sub(r"\.(exe|bat)$", "", os.path.basename(argv[0]))
