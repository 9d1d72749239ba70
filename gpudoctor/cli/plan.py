"""`gpudoctor plan`: what to install, for this machine or a described one, as text for other tools."""

from typing import TYPE_CHECKING

import click

from gpudoctor.cli.option_values import a_name, format_option, install_options
from gpudoctor.language import wrapping

if TYPE_CHECKING:
    from gpudoctor.facts.plan import Manager


@click.command("plan")
@format_option("plan")
@click.option("--cuda", metavar="VERSION", help="Builds for this CUDA: 12.6, 12, or cpu.")
@click.option("--python", metavar="PATH|VERSION", help="An interpreter of this machine; or a version, as in 3.12.")
@click.option("--driver", metavar="RELEASE", help="Not this machine's driver: 535, 580.65.06.")
@click.option("--gpu", "gpus", multiple=True, metavar="NAME", help="Not this machine's GPUs: 'RTX 4090'; repeatable.")
@click.option("--os", "system", type=click.Choice(["linux", "windows", "macos"]), help="Not this machine's system.")
@click.option("--arch", metavar="ARCH", help="x86_64 or aarch64, with --os.")
@click.option("--glibc", metavar="VERSION", help="The C library of a described Linux, 2.35.")
@click.option("--macos", metavar="VERSION", help="The release of macOS: 14.5, 10.15.")
@click.option("--venv", metavar="DIR", callback=a_name, help="The folder of the environment to make.")
@click.option("--conda", metavar="NAME", callback=a_name, help="The conda environment to make.")
@install_options
@click.option("--verify", is_flag=True, help="Ask pip or uv, by its dry run, about each command that installs.")
@click.option("--output", "-o", metavar="FILE", help="Write it there.")
@click.argument("wish", nargs=-1, metavar="[torch] [tensorflow] [jax] [torchvision] ...")
def command(
    form: str,
    cuda: str | None,
    python: str | None,
    driver: str | None,
    gpus: tuple[str, ...],
    system: str | None,
    arch: str | None,
    glibc: str | None,
    macos: str | None,
    venv: str | None,
    conda: str | None,
    manager: "Manager | None",
    requirements: str | None,
    from_pyproject: bool,
    index_url: str | None,
    torch_index: str | None,
    verify: bool,
    output: str | None,
    wish: tuple[str, ...],
) -> None:
    """Work out what to install, and print it for a shell, a Dockerfile, pip, uv or conda.

    For this machine; or, where --driver, --gpu or --os describe another one, for that. Nothing is installed; --verify
    asks the package index whether each command would work, also for the machine that is described. The exit code is 0
    if everything fits, 1 if something does not or the installer refuses it, 3 if the installer could not be asked.
    """
    if conda is not None and venv is not None:
        raise click.UsageError("--conda names an environment, and so does --venv. Leave one out.")
    if "" in (conda, venv):
        raise click.UsageError("the name of the environment is empty.")
    if conda is not None and conda.startswith("-"):
        raise click.UsageError(f"--conda {conda}: a name that begins with a dash is an option to conda.")
    if venv is not None and venv.startswith("-"):
        # As it is, it would be an option in every command.
        venv = f"./{venv}"
    # Imported here: --help needs nothing of it.
    from gpudoctor.cli.described_machine import Described
    from gpudoctor.cli.machine_options import target_of, where
    from gpudoctor.cli.plan_output import written
    from gpudoctor.install.requested import asked_for, manager_for, not_resolved
    from gpudoctor.knowledge.matrix.load import load_matrix
    from gpudoctor.plan.indexes import Indexes
    from gpudoctor.plan.install import Refused, plan_install
    from gpudoctor.plan.logins import without_logins
    from gpudoctor.report.output import write_text

    matrix = load_matrix()
    no_gpu = "--cuda cpu" if cuda == "cpu" else None
    described = Described(
        driver=driver, gpus=gpus, system=system, arch=arch, glibc=glibc, macos=macos, python=python, no_gpu=no_gpu
    )
    if conda is None:
        manager = manager_for(requirements, manager, from_pyproject=from_pyproject)
    target = target_of(described, matrix, manager=manager, venv=venv, conda=conda)
    asked = asked_for(wish, cuda, requirements, target.machine, from_pyproject=from_pyproject, index_url=index_url)
    plan = plan_install(
        target.machine,
        asked.demand,
        matrix,
        place=target.place,
        packages=target.packages,
        indexes=Indexes(main=index_url, torch=torch_index),
        can_be_root=target.can_be_root,
    )
    for note in (*asked.notes, *not_resolved(asked.demand)):
        click.echo(note, err=True)
    if isinstance(plan, Refused):
        from gpudoctor.report.output import width
        from gpudoctor.report.plan_text import refusals_text

        click.echo(refusals_text(plan.refusals, width()), nl=False, err=True)
        raise click.exceptions.Exit(1)
    plain = without_logins(plan)
    text = written(plain, form, target, matrix)
    if output is None:
        write_text(text if form == "terminal" else wrapping.verbatim(text))
    else:
        from gpudoctor.cli.files import write_file

        write_file(output, text, executable=form == "shell")
    if verify:
        from gpudoctor.install.verifying import verify_install

        raise click.exceptions.Exit(verify_install(plan, plain, target.machine, where(described, target.machine)))
