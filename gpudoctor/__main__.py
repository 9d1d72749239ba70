"""Entry point of `python -m gpudoctor` and of the console script `gpudoctor`."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing may be somebody else's file until our own search for modules holds
    from typing import NoReturn


def run() -> "NoReturn":
    """Run the command. Before it stands, Ctrl-C and an installation that is damaged have exit codes of their own."""
    if sys.argv[1:] == ["--version"]:
        _say_version()
    try:
        from gpudoctor.search_path import import_only_our_own

        import_only_our_own()
        from gpudoctor.cli.start import start

        start(sys.argv[1:])
        from gpudoctor.cli.main import run as begin
    except KeyboardInterrupt:
        _end("\nInterrupted. Nothing was changed.", 130)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with our files, it is not what exit code 1 says
        _end(_damaged(error), 3)
    begin()


def _say_version() -> None:
    """Say the version and end: that needs no command line, which takes twice as long to load as Python itself."""
    import os
    from contextlib import suppress

    from gpudoctor import __version__

    with suppress(AttributeError, OSError, ValueError):  # closed or full: the command line says so
        os.write(sys.stdout.fileno(), f"gpudoctor {__version__}\n".encode())
        os._exit(0)


def _damaged(error: Exception) -> str:
    import os

    said = f"Error: gpudoctor cannot be loaded by {sys.executable}: {type(error).__name__}: {error}."
    if os.environ.get("PYTHONHOME"):
        return (
            f"{said}\nPYTHONHOME is set, and Python takes its own library from there. Run: env -u PYTHONHOME gpudoctor"
        )
    return f"{said}\nIts own files, or a package it needs, are damaged. Install gpu-stack-doctor anew."


def _end(text: str, code: int) -> "NoReturn":
    """Say why, if anybody can be told, and end with that code."""
    import os
    from contextlib import suppress

    if "gpudoctor.host.forked" in sys.modules:
        sys.modules["gpudoctor.host.forked"].stop_forks()
    with suppress(OSError):  # standard error is closed or full
        os.write(2, f"{text}\n".encode("utf-8", "replace"))
    os._exit(code)


if __name__ == "__main__":
    run()
