"""`gpudoctor fix --verify`: the installer's own dry run of every install command of a plan."""

import os
import shutil
from collections.abc import Iterator

import click

from gpudoctor.apply.archives import Verification
from gpudoctor.apply.installer import scrub
from gpudoctor.apply.verify import is_install, is_uv, verify
from gpudoctor.model.fix import Run
from gpudoctor.model.plan import Plan
from gpudoctor.render.commands import step_lines

#: Packages that are named of what would be installed.
_NAMED = 6


def say_verified(plan: Plan) -> None:
    """Ask for each command, and say on standard error what would be installed, or why not. No package is changed."""
    commands = tuple({step.argv: step for step in _installs(plan)}.values())
    for step in commands:
        click.echo("\n".join((*step_lines(step, windows=os.name == "nt"), f"  {_answer(step)}")), err=True)
    if not commands:
        click.echo("No command of this plan installs with pip or uv: nothing to verify.", err=True)


def _installs(plan: Plan) -> Iterator[Run]:
    for mending in plan.fixes:
        yield from (step for step in mending.fix.steps if isinstance(step, Run) and is_install(step.argv))


def _answer(step: Run) -> str:
    if not _is_there(step.argv):
        return "not verified: this environment is not there yet. --apply makes it, and asks before it installs."
    found = verify(step.argv, {**os.environ, **step.env}, (), lambda: None)
    if found.refused is not None:
        return f"not verified: {found.by} refuses. {scrub(found.refused)}"
    return f"verified by {found.by} in {found.seconds:.1f} s: {_would(found)}"


def _is_there(argv: tuple[str, ...]) -> bool:
    """Whether the installer and the interpreter it installs for can be started."""
    python = argv[argv.index("--python") + 1] if is_uv(argv) and "--python" in argv[:-1] else argv[0]
    return shutil.which(argv[0]) is not None and shutil.which(python) is not None


def _would(found: Verification) -> str:
    if not found.says:
        return "nothing would change."
    named = ", ".join(found.installs[:_NAMED])
    more = len(found.installs) - _NAMED
    return f"it would install {named}{f' and {more} more' if more > 0 else ''}."
