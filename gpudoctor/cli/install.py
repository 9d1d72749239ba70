"""The command `gpudoctor install`: installs frameworks that fit this machine."""

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from gpudoctor.cli.option_values import a_name, install_options
from gpudoctor.errors import Misused

if TYPE_CHECKING:
    from gpudoctor.facts.plan import InstallPlan, Manager
    from gpudoctor.install.reporters import JsonLines, Sentences
    from gpudoctor.install.target import Site

    #: Other plans in the place of some; empty: there are none.
    WayOut = Callable[[tuple[InstallPlan, ...]], tuple[InstallPlan, ...]]

EPILOG = """
Exit codes: 0 installed (and proved), 2 usage (or nobody to ask: add --yes), 3 could not examine, 4 a bug of gpudoctor,
5 installed but not proved, 6 refused: nothing was changed, 7 failed: everything is as it was, 130 interrupted.
"""


@click.command("install", epilog=EPILOG)
@click.argument("wish", nargs=-1, metavar="[torch] [tensorflow] [jax] [torchvision] ...")
@click.option("--cuda", metavar="VERSION", help="Builds for this CUDA: 12.6, 12.")
@click.option("--cpu", is_flag=True, help="Builds without a GPU.")
@click.option("--venv", metavar="DIR", callback=a_name, help="Make a new virtual environment in this folder.")
@click.option("--python", metavar="PATH", help="Install into this environment; with --venv, make the new one with it.")
@click.option(
    "--conda",
    metavar="NAME",
    callback=a_name,
    help="Install into this conda environment, which is made if it is not there.",
)
@install_options
@click.option("--replace", is_flag=True, help="Put the new environment in the place of one; undo brings it back.")
@click.option("--container", is_flag=True, help="Install nothing: print the docker command of an image that fits.")
@click.option("--dry-run", is_flag=True, help="Show and verify; change nothing.")
@click.option("--verify/--no-verify", default=True, help="Ask the installer first what it would do.  [default: yes]")
@click.option("--allow-breaking", is_flag=True, help="Also where installed packages would no longer agree.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="What happens, as JSON lines.")
def command(
    wish: tuple[str, ...],
    cuda: str | None,
    cpu: bool,
    venv: str | None,
    python: str | None,
    conda: str | None,
    manager: "Manager | None",
    requirements: str | None,
    from_pyproject: bool,
    index_url: str | None,
    torch_index: str | None,
    replace: bool,
    container: bool,
    dry_run: bool,
    verify: bool,
    allow_breaking: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Install builds that fit this machine, prove that they work, and keep the way back.

    Shows what it will do, asks, lets the installer verify it, builds beside, trains a small network with each
    framework, and only then puts the environment in its place. `gpudoctor undo` takes it back.
    """
    if container:
        # Imported here: it installs nothing.
        from gpudoctor.cli.install_container import show_container

        places = {"--venv": venv, "--python": python, "--conda": conda, "--manager": manager, "--replace": replace}
        files = {"--requirements": requirements, "--from-pyproject": from_pyproject, "--cpu": cpu, "--cuda": cuda}
        show_container(wish, {**places, **files}, as_json=as_json)
    # Imported here: --help needs nothing of it.
    from msgspec.structs import replace as changed

    from gpudoctor.apply.downloads import downloaded_once
    from gpudoctor.install.planning import Wishes, environments_of, plan_for, with_package_index_only
    from gpudoctor.install.preview import foreseen, resolved
    from gpudoctor.install.reporters import JsonLines, Sentences
    from gpudoctor.install.requested import manager_for
    from gpudoctor.install.target import site_of
    from gpudoctor.plan.demand import parse_demand

    with JsonLines() if as_json else Sentences() as tell, downloaded_once(os.environ) as variables:
        _contradictions(cuda, venv, python, conda, manager, replace=replace, cpu=cpu)
        if not (wish or requirements or from_pyproject):
            raise Misused("nothing is asked for. Name a framework: torch, tensorflow or jax.")
        wishes = Wishes(
            words=wish,
            cuda="cpu" if cpu else cuda,
            requirements=requirements,
            from_pyproject=from_pyproject,
            index_url=index_url,
            torch_index=torch_index,
        )
        # While the target is looked at, which goes on since before this was loaded.
        parse_demand(wish, wishes.cuda, any_package=True)
        if conda is None:
            manager = manager_for(requirements, manager, from_pyproject=from_pyproject)
        site = site_of(venv=venv, python=python, conda=conda, manager=manager, index_url=index_url)
        site = changed(site, variables=dict(variables))
        if not (yes or dry_run or can_ask(as_json=as_json)):
            plan_for(wishes, site)
            raise Misused(
                "nobody can be asked here. Add --yes to install, or --dry-run to see what would be done. Nothing was "
                "done."
            )
        found = resolved(wishes, site) if verify else None
        wishes = wishes if found is None else changed(wishes, demand=found.demand)
        plans = plan_for(wishes, site) if found is None else environments_of(found.plan)
        breaking = allow_breaking or not (yes or dry_run)
        if found is not None and not foreseen(found, tell, may_break=breaking, dry_run=dry_run):
            return
        way_out = partial(with_package_index_only, wishes, site)
        _carry_out(plans, way_out, site, tell, replace=replace, dry_run=dry_run, verify=verify, yes=yes)


def _contradictions(
    cuda: str | None,
    venv: str | None,
    python: str | None,
    conda: str | None,
    manager: "Manager | None",
    *,
    replace: bool,
    cpu: bool,
) -> None:
    if cpu and cuda not in (None, "cpu"):
        raise Misused("--cpu asks for builds without a GPU, and --cuda for builds with one. Leave one out.")
    if conda is not None and (venv is not None or python is not None):
        raise Misused("--conda names an environment, and so does --venv or --python. Leave one out.")
    if venv == "" or conda == "":
        raise Misused("the name of the environment is empty.")
    if conda is not None and conda.startswith("-"):
        raise Misused(f"--conda {conda}: a name that begins with a dash is an option to conda.")
    if replace and venv is None:
        raise Misused("--replace is for --venv DIR: a new environment takes the place of the one in DIR.")
    if conda is None and manager in ("conda", "mamba", "micromamba"):
        raise Misused(f"--manager {manager} needs the environment's name: --conda NAME.")
    if conda is not None and manager in ("pip", "uv"):
        raise Misused(f"--conda NAME is an environment of conda, and --manager {manager} makes none.")


def can_ask(*, as_json: bool) -> bool:
    """Whether there is a person who can answer."""
    try:
        return not as_json and sys.stdin.isatty()
    except ValueError:  # closed
        return False


def _carry_out(
    plans: "tuple[InstallPlan, ...]",
    way_out: "WayOut",
    site: "Site",
    tell: "JsonLines | Sentences",
    *,
    replace: bool,
    dry_run: bool,
    verify: bool,
    yes: bool,
) -> None:
    """`way_out`: other plans, for where an index of these does not answer."""
    from gpudoctor.install.applying import folder_of, install
    from gpudoctor.install.in_use import tell_users
    from gpudoctor.install.reporters import JsonLines

    _show(plans, tell)
    tell_users((folder_of(plan, site) for plan in plans), tell)
    if verify and (dry_run or not yes):
        # Before anyone is asked, so that what is asked has its size.
        plans = _try_out(plans, way_out, site, tell, dry_run=dry_run)
    if dry_run:
        _end_dry_run(plans, tell, told=verify)
        return
    if not yes and not click.confirm("Go ahead?", default=False):
        click.echo("Nothing was done.")
        raise click.exceptions.Exit(6)
    carry = partial(install, site=site, tell=tell, replace=replace, verify=verify, quiet=isinstance(tell, JsonLines))
    others = way_out(plans)
    end = carry(plans[0], is_last=not others)
    if end.unreachable and others:
        plans = others
        _show(plans, tell)
        end = carry(plans[0])
    codes = [end.exit_code]
    for plan in plans[1:]:
        if codes[-1] not in (0, 5):
            break
        codes.append(carry(plan).exit_code)
    raise click.exceptions.Exit(next(filter(None, reversed(codes)), 0))


def _show(plans: "tuple[InstallPlan, ...]", tell: "JsonLines | Sentences") -> None:
    from gpudoctor.apply.events import Planned
    from gpudoctor.install.planning import shown
    from gpudoctor.install.reporters import JsonLines
    from gpudoctor.report.output import width, write_text
    from gpudoctor.report.plan_text import install_text

    if isinstance(tell, JsonLines):
        for plan in plans:
            tell(Planned(plan=shown(plan)))
    else:
        # The text of the first holds those of the others.
        write_text(install_text(shown(plans[0]), width()))


def _try_out(
    plans: "tuple[InstallPlan, ...]", way_out: "WayOut", site: "Site", tell: "JsonLines | Sentences", *, dry_run: bool
) -> "tuple[InstallPlan, ...]":
    """The plans that the installer accepts: these, else the way out. Raises Exit where it refuses one."""
    from gpudoctor.install.applying import try_out

    others = way_out(plans)
    ends = [try_out(plan, site, tell, must=dry_run, is_last=not others) for plan in plans]
    if others and any(end.unreachable for end in ends):
        plans = others
        _show(plans, tell)
        ends = [try_out(plan, site, tell, must=dry_run) for plan in plans]
    code = max(end.exit_code for end in ends)
    if code:
        raise click.exceptions.Exit(code)
    return plans


def _end_dry_run(plans: "tuple[InstallPlan, ...]", tell: "JsonLines | Sentences", *, told: bool) -> None:
    from gpudoctor.apply.events import EXIT_CODES, Finished

    if not told:
        for _ in plans:
            tell(Finished(outcome="dry-run", exit_code=EXIT_CODES["dry-run"]))
    click.echo("A dry run: nothing was changed.", err=True)
