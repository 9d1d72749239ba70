"""The command group `gpudoctor matrix`: which versions fit together, with sources."""

from collections.abc import Callable
from importlib import import_module

import click

from gpudoctor.cli.errors import showing_errors
from gpudoctor.cli.show import show
from gpudoctor.knowledge.frameworks import name_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.report.formats import FORMATS
from gpudoctor.report.matrix_tables import MatrixPage, NotKnown, Sheet

#: subject: (module, function, what may be named, what it does)
SUBJECTS = {
    "torch": ("frameworks", "torch_sheets", "RELEASE", "PyTorch releases and builds: 2.6, 2.6.0, 2.6.0+cu124."),
    "tensorflow": ("frameworks", "tensorflow_sheets", "RELEASE", "TensorFlow releases: 2.16, 2.16.1."),
    "jax": ("frameworks", "jax_sheets", "RELEASE", "JAX releases and their CUDA extras."),
    "keras": ("frameworks", "keras_sheets", "RELEASE", "The Keras of a TensorFlow (2.16), or of a Keras major (3)."),
    "cuda": ("stack", "cuda_sheets", "VERSION", "CUDA versions and the drivers they need: 12.4."),
    "driver": ("stack", "driver_sheets", "RELEASE", "Driver branches, what they run and serve: 535, 535.54."),
    "gpu": ("stack", "gpu_sheets", "NAME", "GPUs by name, PCI id or part of a name: 'RTX 3090', 10de:2204, a100."),
    "container": ("containers", "container_sheets", "IMAGE", "NVIDIA's images of frameworks: pytorch, 24.05."),
    "runtime": (
        "runtimes",
        "runtime_sheets",
        "NAME",
        "What Colab, Kaggle, JetPack and conda-forge have: colab, jetpack 6.2.",
    ),
    "matlab": ("matlab", "matlab_sheets", "RELEASE|GPU", "MATLAB releases and their GPUs: R2024a, 'RTX 4090'."),
    "cudnn": ("stack", "cudnn_sheets", "VERSION", "cuDNN releases: 9, 9.10."),
}
#: command: (module, what it does)
COMMANDS = {
    "fit": ("gpudoctor.cli.matrix_fit", "Which builds fit a machine that is not here."),
    "status": ("gpudoctor.cli.matrix_status", "Which edition is in use, how old it is, where it came from."),
    "update": ("gpudoctor.cli.matrix_update", "Take a newer edition, after its signatures were checked."),
    "verify": ("gpudoctor.cli.matrix_verify", "Compare the rows with what your package index says."),
}


FORMAT = click.Option(
    ["--format", "form"], type=click.Choice(list(FORMATS["matrix"])), default="terminal", show_default=True
)
HTML = click.Option(
    ["--html"], metavar="FILE", help="Write a page to choose a machine and look tables up; one file, no network."
)
HERE = click.Option(["--here"], is_flag=True, help="The MATLABs that are installed here, on the GPUs of this machine.")
VERBOSE = click.Option(["-v", "--verbose"], is_flag=True, help="Sources in full.")


class MatrixGroup(click.Group):
    """The subjects are made, and the commands imported, when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All subjects, then the commands."""
        return [*SUBJECTS, *COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name in SUBJECTS:
            return showing_errors(_subject(cmd_name))
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return showing_errors(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; a word that is no subject is answered with the nearest ones."""
        args = [name_of(args[0]), *args[1:]] if args else args
        if args and args[0] not in self.list_commands(ctx):
            raise not_known(f"subject {args[0]!r}", _near(args[0], tuple(self.list_commands(ctx))))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, written without importing them."""
        about = {name: words[3] for name, words in SUBJECTS.items()}
        about |= {name: words[1] for name, words in COMMANDS.items()}
        with formatter.section("Subjects"):
            formatter.write_dl(list(about.items()))


def _near(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    # Imported here: only a slip of the pen needs it.
    from difflib import get_close_matches

    return tuple(get_close_matches(word.lower(), known, n=3, cutoff=0.4)) or known


def not_known(what: str, near: tuple[str, ...]) -> click.UsageError:
    """The usage error for what the matrix does not have, with the nearest names."""
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    return click.UsageError(f"The matrix knows no {what}.{hint}")


def _subject(name: str) -> click.Command:
    module, function, what, about = SUBJECTS[name]

    def show_subject(which: str | None, form: str, verbose: bool, here: bool = False) -> None:
        if here:
            if which is not None:
                raise click.UsageError(f"--here judges what is installed; leave {which} out.")
            _show("matlab --here", _matlab_here, form, verbose=verbose)
            return
        sheets = getattr(import_module(f"gpudoctor.report.matrix_tables_{module}"), function)
        _show(f"{name} {which}" if which else name, lambda matrix: sheets(matrix, which), form, verbose=verbose)

    # A GPU's name has spaces, and people forget the quotes.
    argument = click.Argument(
        ["which"], metavar=f"[{what}]", nargs=-1, callback=lambda _, __, words: " ".join(words) or None
    )
    params: list[click.Parameter] = [argument, *([HERE] if name == "matlab" else []), FORMAT, VERBOSE]
    return click.Command(name, callback=show_subject, params=params, help=about)


def _matlab_here(matrix: Matrix) -> tuple[Sheet, ...]:
    # Imported here: the other tables look at no machine.
    from gpudoctor.examine.look import begin_to_examine
    from gpudoctor.examine.matlab import look_for_matlabs
    from gpudoctor.plan.matlab import judge_matlabs
    from gpudoctor.report.matlab_here import here_sheets

    installed = look_for_matlabs()
    judged = judge_matlabs(installed.found, begin_to_examine(None)(), matrix) if installed.found else ()
    return here_sheets(installed, judged, matrix)


@click.group("matrix", cls=MatrixGroup, invoke_without_command=True, params=[FORMAT, VERBOSE, HTML])
@click.pass_context
def command(ctx: click.Context, form: str, verbose: bool, html: str | None) -> None:
    """Show what is known to fit: frameworks, CUDA, drivers, GPUs, each fact with its source and date.

    Without a subject: the edition of the matrix, and of each table its age, its size and its sources.
    """
    if html is not None:
        if ctx.invoked_subcommand is not None:
            raise click.UsageError(f"--html writes a page of the whole matrix; leave {ctx.invoked_subcommand} out.")
        _write_page(html)
    elif ctx.invoked_subcommand is None:
        from gpudoctor.report.matrix_tables_overview import overview_sheets

        _show("matrix", overview_sheets, form, verbose=verbose)


def _write_page(path: str) -> None:
    # Imported here: only this needs the solver and the page.
    from gpudoctor.cli.files import refuse_unwritable, write_file
    from gpudoctor.report.matrix_page import matrix_page

    refuse_unwritable(path, force=True)
    click.echo("Working out what fits each machine: about a minute.", err=True)
    write_file(path, matrix_page(load_matrix()))
    click.echo(f"Written: {click.format_filename(path)}", err=True)


def _show(subject: str, sheets: Callable[[Matrix], tuple[Sheet, ...]], form: str, *, verbose: bool) -> None:
    matrix = load_matrix()
    try:
        found = sheets(matrix)
        page = MatrixPage(edition=matrix.edition, subject=subject, sheets=found)
    except NotKnown as error:
        raise not_known(error.what, error.near) from None
    show("matrix", page, form, 1 if verbose else 0)
