"""The `gpudoctor` command. Commands are imported only when they run: `--help` and `--version` stay quick."""

import errno
import io
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import click

from gpudoctor import __version__

#: name: (module, what it does)
COMMANDS = {
    "advise": ("gpudoctor.cli.advise", "Say whether a job needs a GPU, which one, and what to do without."),
    "bench": ("gpudoctor.cli.bench", "Measure the GPU's speed-up in training and compare it with healthy GPUs."),
    "brief": ("gpudoctor.assist.brief_command", "Print a page for an assistant: facts, judgement, what not to claim."),
    "check": ("gpudoctor.cli.check", "Check this machine and say why the GPU is not used."),
    "diff": ("gpudoctor.cli.diff", "Show what changed between two snapshots, most suspicious first."),
    "devices": (
        "gpudoctor.cli.devices",
        "List the devices the driver and each framework see, and explain differences.",
    ),
    "explain": ("gpudoctor.cli.explain", "Explain an error message or a finding's code."),
    "fix": ("gpudoctor.cli.fix", "Show how to fix what is wrong, or fix it with --apply."),
    "fleet": ("gpudoctor.cli.fleet", "Examine many machines, and find the one that differs."),
    "install": ("gpudoctor.cli.install", "Install builds that fit this machine, test them, and keep a way back."),
    "history": ("gpudoctor.cli.history", "List the changes gpudoctor has made to environments."),
    "look-up": ("gpudoctor.cli.look_up", "Look up a wheel, a symbol, a library, faults of a release, a recipe."),
    "matrix": ("gpudoctor.cli.matrix", "Show the compatibility matrix, and which builds fit a machine."),
    "node": ("gpudoctor.cli.node", "Say in one JSON line how this machine is, for schedulers and monitors."),
    "mcp": ("gpudoctor.assist.mcp_command", "Serve assistants by the Model Context Protocol."),
    "report": ("gpudoctor.cli.report", "Write everything a bug report needs, safe to post in public."),
    "plan": ("gpudoctor.cli.plan", "Print an install plan as a script, Dockerfile, requirements or project."),
    "rules": ("gpudoctor.cli.rules", "List all rules."),
    "smoke": ("gpudoctor.cli.smoke", "Train a small network with each framework to prove that it works."),
    "snapshot": ("gpudoctor.cli.snapshot", "Save what can be seen of this machine, to diagnose it elsewhere."),
    "triage": ("gpudoctor.cli.triage", "Diagnose what others sent: snapshots, bundles or pasted text."),
    "undo": ("gpudoctor.cli.undo", "Undo a change that gpudoctor made."),
    "verify": ("gpudoctor.cli.verify", "Judge install commands before they are run, and name one that fits."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        # Imported here: --help needs neither.
        from gpudoctor.cli.start import load_msgspec

        load_msgspec()
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        # Imported here: --help needs nothing of it.
        from gpudoctor.cli.errors import showing_errors

        return showing_errors(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, written without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS)])


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 healthy, 1 findings, 2 usage, 3 could not examine, 4 a bug of gpudoctor, 130 interrupted;"
    " and where an environment is changed: 5 done but not proved, 6 refused, 7 failed and taken back.",
)
@click.option(
    "--lang",
    metavar="LANG",
    expose_value=False,
    is_eager=True,
    callback=lambda _context, _option, value: value and _no_such_language(value),
    help="The language of what is said, here or after the command: en or zh.  [default: the locale's]",
)
@click.version_option(__version__, "--version", message="gpudoctor %(version)s")
def cli() -> None:
    """Find out why TensorFlow or PyTorch is not using the GPU, and how to fix it."""


def _no_such_language(name: str) -> NoReturn:
    """What `gpudoctor.cli.start` knows, it has taken out of the arguments."""
    raise click.BadParameter(f"{name!r} is not one of en, zh.")


def run() -> NoReturn:
    """The command, in a process that `gpudoctor.cli.start` made ready."""
    code = _main_whatever_happens()
    # Too many open files: not even what stops them can be read any more.
    with suppress(Exception):
        _stop_children()
    for stream in (sys.stdout, sys.stderr):
        # Closed early (`| head`) or a full disk: reported already.
        with suppress(OSError, ValueError):
            stream.flush()
    # Nothing is left to tidy up, and taking a few hundred modules apart would cost 7 ms.
    os._exit(code)


def _main_whatever_happens() -> int:
    """The exit code of `main`; of what goes wrong even while it says what went wrong, too."""
    try:
        return main()
    except KeyboardInterrupt:
        return 130
    except BaseException as error:  # noqa: BLE001 - an exit code of 1 would say that there are findings
        return 3 if _no_file_is_opened(error) else 4


def _no_file_is_opened(error: BaseException) -> bool:
    """Whether the system opens no further file for us: then modules are not found, and that is no bug of ours."""
    if isinstance(error, OSError):
        return error.errno in (errno.EMFILE, errno.ENFILE)
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return True
    return False


def main() -> int:
    """Run the command and turn whatever happens into its documented exit code."""
    try:
        code = cli.main(standalone_mode=False)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        _say(shown.getvalue().rstrip("\n"))
        code = error.exit_code
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except (KeyboardInterrupt, click.Abort):
        _say("\nInterrupted. Nothing was changed.")
        code = 130
    except Exception as error:  # noqa: BLE001 - the last place where our own bug can become a readable report
        from gpudoctor.cli.crash import reason_outside, report_crash

        why = reason_outside(error)
        if why is None:
            code = report_crash()
        else:
            _say(f"Error: {why}")
            code = 3
    return code if isinstance(code, int) else 0


def _say(text: str) -> None:
    """Say it on standard error. What was typed may hold an address with its password, and errors end in tickets."""
    # Imported here: --help and --version that succeed need none of it.
    from gpudoctor.redact.credentials import without_credentials
    from gpudoctor.report.output import say, visible

    say(visible(without_credentials(text)))


def _stop_children() -> None:
    """End the children of probes that still run in other threads; only there if a probe ever started one."""
    if "gpudoctor.host.children" in sys.modules:
        sys.modules["gpudoctor.host.children"].stop_for_good()
    if "gpudoctor.host.forked" in sys.modules:
        sys.modules["gpudoctor.host.forked"].stop_forks()
