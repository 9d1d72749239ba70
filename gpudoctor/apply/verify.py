"""The installer's own dry run, with the user's own index settings."""

import os
from collections.abc import Callable, Mapping

from gpudoctor.apply.archives import Verification
from gpudoctor.apply.verify_pip import ask_pip
from gpudoctor.apply.verify_uv import ask_uv


def is_install(argv: tuple[str, ...]) -> bool:
    """Whether this command is one of those that can be verified: `uv pip install`, `python -m pip install`."""
    return is_uv(argv) or is_pip(argv)


def is_uv(argv: tuple[str, ...]) -> bool:
    """Whether it is uv's installing."""
    return os.path.basename(argv[0]) in ("uv", "uv.exe") and argv[1:3] == ("pip", "install")


def is_pip(argv: tuple[str, ...]) -> bool:
    """Also where it is run through another program: conda run --prefix P python -m pip install."""
    return any(argv[at : at + 3] == ("-m", "pip", "install") for at in range(min(10, len(argv))))


def is_compiled(argv: tuple[str, ...]) -> bool:
    """Whether it compiles against what is installed in the environment by then; before, it cannot be asked about."""
    return "--no-build-isolation" in argv


def asked(argv: tuple[str, ...]) -> str:
    """The command that is asked, in words."""
    return "uv pip install --dry-run" if is_uv(argv) else "pip install --dry-run"


def verify(
    argv: tuple[str, ...],
    env: Mapping[str, str],
    keep_open: tuple[int, ...],
    tick: Callable[[], None],
    *,
    files: bool = True,
) -> Verification:
    """Ask the installer what `argv`, an install command, would do. `tick` is called about once a second.

    `files` False: not which files it would install, which takes uv several seconds.
    """
    if is_uv(argv):
        return ask_uv(asked(argv), argv, env, keep_open, tick, files=files)
    return ask_pip(asked(argv), argv, env, keep_open, tick)
