"""The command `gpudoctor mcp`, which starts the MCP server."""

import gc
import importlib.util
import logging
import os
import signal
import sys

import click

from gpudoctor.errors import CannotExamine
from gpudoctor.language import wrapping

_WITHOUT = (
    "the SDK of the Model Context Protocol is not installed beside gpudoctor. Install it:"
    " python -m pip install 'gpu-stack-doctor[mcp]'; from a clone: python -m pip install '.[mcp]'"
)

_EPILOG = """
Set-up, for any client: the command is gpudoctor, its argument mcp. Claude Code: claude mcp add gpudoctor -- gpudoctor
mcp. Codex: codex mcp add gpudoctor -- gpudoctor mcp. Cursor and Claude Desktop, in mcp.json:
{"mcpServers": {"gpudoctor": {"command": "gpudoctor", "args": ["mcp"]}}}
"""


@click.command("mcp", epilog=_EPILOG)
@click.option("--root", "roots", multiple=True, metavar="DIR", help="Read files below this folder; repeatable.  "
              "[default: the working directory]")  # fmt: skip
@click.option("--allow-changes", is_flag=True, help="Also offer fix, install and undo; each shows its dry run first.")
@click.option("--skill", is_flag=True, help="Print the page that teaches an assistant when to call what, and end.")
def command(roots: tuple[str, ...], allow_changes: bool, skill: bool) -> None:
    """Serve assistants over standard input and output, by the Model Context Protocol.

    They get tools that check this machine, answer tickets, name builds that fit, and explain messages. Nothing is
    changed without --allow-changes, no file outside of --root is read, and no model is called. Ends when the client
    leaves.
    Example: gpudoctor mcp --root ~/tickets
    """
    if skill:
        from gpudoctor.assist.pages import skill as page
        from gpudoctor.report.output import write_text

        write_text(wrapping.verbatim(page()))
        return
    for root in roots:
        if not os.path.isdir(root):
            raise click.BadParameter(f"{root}: there is no such folder.", param_hint="--root")
    if importlib.util.find_spec("mcp") is None:
        raise CannotExamine(_WITHOUT)
    # Standard error belongs to the client's log: what the SDK thinks of a malformed message is answered, not written.
    logging.getLogger().addHandler(logging.NullHandler())
    import anyio

    from gpudoctor.assist.folders import folders_of
    from gpudoctor.assist.server import serve
    from gpudoctor.assist.tool import Session

    if sys.stdin.isatty():
        click.echo("Waiting for a client of the Model Context Protocol on standard input. Ctrl-C ends.", err=True)
    _end_by_signals()
    # The SDK is read from disk without the collector, as our commands run; a server runs on.
    gc.freeze()
    gc.enable()
    anyio.run(serve, Session(folders_of(roots), may_change=allow_changes))


def _end_by_signals() -> None:
    """End at once: a thread that waits for standard input would not, and what runs for a call ends with us."""
    from gpudoctor.assist.own_process import stop_all

    def end(_number: int, _frame: object) -> None:
        stop_all()
        os._exit(130)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if (number := getattr(signal, name, None)) is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
