"""The command `gpudoctor verify`: judges install commands before they are run."""

import click

from gpudoctor.cli.described_machine import Described, machine_options
from gpudoctor.cli.machine_options_parse import system_of
from gpudoctor.cli.option_values import format_option
from gpudoctor.cli.show import show
from gpudoctor.cli.verify_inputs import cleaned, of_file
from gpudoctor.errors import CannotExamine
from gpudoctor.facts.python import Package, Packages
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.redact.credentials import fact_without_credentials
from gpudoctor.sources.package_names import normalise
from gpudoctor.verify.given import given_of
from gpudoctor.verify.verdict import Given, Verdicts, overall
from gpudoctor.verify.verify import verify

_CODES = {"fits": 0, "does not fit": 1, "does nothing": 1, "not known": 3}


@click.command("verify")
@click.argument("inputs", nargs=-1, required=True, metavar="COMMAND|FILE|-...")
@click.option("--for", "snapshot", metavar="FILE", help="A machine: a saved snapshot, a report, or a pasted ticket.")
@machine_options
@click.option("--distribution", metavar="NAME", help="The Linux distribution, as in /etc/os-release: ubuntu.")
@click.option("--installed", multiple=True, metavar="PACKAGE==VERSION", help="What is installed; repeatable.")
@click.option("--ask-index", is_flag=True, help="Ask your package index for what the tables do not know.")
@format_option("verify")
@click.option("-v", "--verbose", is_flag=True, help="Also the sources.")
def command(
    inputs: tuple[str, ...],
    snapshot: str | None,
    described: Described,
    distribution: str | None,
    installed: tuple[str, ...],
    ask_index: bool,
    form: str,
    verbose: bool,
) -> None:
    """Judge install commands before they are run: does each package fit, and if not, what does.

    Reads pip, uv, conda, apt, dnf, zypper and docker commands, environment variables, requirements files, uv.lock,
    poetry.lock, pylock.toml, pyproject.toml, environment.yml, Dockerfiles and Compose files; PowerShell and cmd, too.
    Judged for this machine, or for the one that the options describe:

        gpudoctor verify "pip install torch==2.6.0" --gpu "RTX 5090" --driver 570 --python 3.12

    The exit code is 0 if everything fits, 1 if something does not or would do nothing, 3 if it is not known.
    """
    matrix = load_matrix()
    given = _given(described, distribution, snapshot, installed, matrix)
    found = tuple(one for name, text in cleaned(inputs) for one in verify(text, given, matrix, name).found)
    if ask_index:
        # Imported here: nothing else in this command opens a connection.
        from gpudoctor.cli.verify_index import asked

        found = asked(found, given.machine)
    _show(fact_without_credentials(Verdicts(word=overall(found), found=found)), form, verbose=verbose)


def _show(found: Verdicts, form: str, *, verbose: bool) -> None:
    if not found.found:
        raise CannotExamine("Nothing to judge: there is no command in it.")
    show("verify", found, form, 1 if verbose else 0)
    raise click.exceptions.Exit(_CODES[found.word])


def _given(
    described: Described, distribution: str | None, snapshot: str | None, installed: tuple[str, ...], matrix: Matrix
) -> Given:
    """The machine that is meant: that of a file, the described one, else this one."""
    is_described = described != Described() or distribution is not None
    if snapshot is not None and is_described:
        raise click.UsageError("--for names a machine; leave out the options that describe one.")
    system = system_of(described.system, described.macos)
    if distribution and system != "linux":
        raise click.UsageError(f"--distribution is of Linux, and --os is {system}.")
    if snapshot is not None:
        given = of_file(snapshot, matrix)
    elif is_described or installed:
        name, _, version = (distribution or "").partition(" ")
        given = Given(
            machine=described.machine(matrix), distribution=name.lower() or None, distribution_version=version or None
        )
    else:
        # Imported here: a described machine is not looked at.
        from gpudoctor.examine.look import begin_to_examine

        given = given_of(begin_to_examine(None)(), matrix)
    return with_packages(given, installed)


def with_packages(given: Given, installed: tuple[str, ...]) -> Given:
    """What is given, and the packages that options name. Raises click.BadParameter."""
    # Imported here: a module of its own for one line would be too much.
    from msgspec.structs import replace

    if not installed:
        return given
    pairs = [text.partition("==") for text in installed]
    for name, equals, version in pairs:
        if not (name.strip() and equals and version.strip()):
            raise click.BadParameter(f"{name!r} has no version; write torch==2.6.0+cu124.", param_hint="--installed")
    named = tuple(Package(name=normalise(name.strip()), version=version.strip()) for name, _, version in pairs)
    return replace(given, packages=Packages(installed=named, excerpt=True))
