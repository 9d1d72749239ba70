"""`--verify` of `fix` and `plan`: dry runs of the install commands that are printed."""

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal

from gpudoctor.apply.dry_run import is_install
from gpudoctor.apply.dry_run_elsewhere import Asking, NotAsked
from gpudoctor.apply.dry_run_result import Verification
from gpudoctor.apply.events import Progress
from gpudoctor.apply.installer import scrub
from gpudoctor.facts.fix import Run
from gpudoctor.facts.plan import InstallPlan, Plan, Step
from gpudoctor.install.reporters import Sentences
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.steps import install_step
from gpudoctor.report.commands import step_lines, visible
from gpudoctor.report.output import say

#: Where a plan is for: this machine; one with the same platform, which is described; another one.
Where = Literal["here", "alike", "elsewhere"]
#: Exit codes: would be installed; the installer refuses; it could not be asked.
VERIFIED, REFUSED, NOT_ASKED = 0, 1, 3
#: Packages that are named of what would be installed.
_NAMED = 6


def say_verified(plan: Plan) -> None:
    """Ask for each command of the fixes, and say on standard error what would be installed, or why not."""
    steps = tuple(step for one in plan.fixes for step in one.fix.steps)
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        clock = Clock()
        asking = Asking(folder, os.environ, clock.tick)
        commands = {step.argv: step for step in _runs(steps) if is_install(step.argv)}
        for step in commands.values():
            question = partial(asking.ask, step, tuple(_runs(steps)))
            _say(step, question, clock, windows=os.name == "nt")
    if not commands:
        say("No command of this plan installs with pip or uv: nothing to verify.")


def verify_install(plan: InstallPlan, shown: InstallPlan, machine: Machine, where: Where) -> int:
    """The same for the environments of an install plan, as it is `shown`; the exit code."""
    codes: set[int] = set()
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        clock = Clock()
        asking = Asking(folder, os.environ, clock.tick)
        for one, plain in zip((plan, *plan.apart), (shown, *shown.apart), strict=True):
            for step, printed in zip(_runs(one.install), _runs(plain.install), strict=True):
                question = _question(asking, one, step, machine, where)
                codes.add(_say(printed, question, clock, windows=machine.os == "windows"))
    return next((code for code in (REFUSED, NOT_ASKED) if code in codes), VERIFIED)


def _question(
    asking: Asking, plan: InstallPlan, step: Run, machine: Machine, where: Where
) -> Callable[[], Verification]:
    def ask() -> Verification:
        why = []
        try:
            if where != "elsewhere":
                return asking.ask(step, tuple(_runs(plan.make)), anew=where == "alike")
        except NotAsked as error:
            why.append(str(error))
        try:
            words = step.argv[len(install_step(plan.place, (), None, ()).argv) :]
            return asking.ask_uv_for(words, plan.place.version or machine.python, machine)
        except NotAsked as error:
            raise NotAsked("; ".join(dict.fromkeys((*why, str(error))))) from None

    return ask


def _runs(steps: Iterable[Step]) -> Iterator[Run]:
    return (step for step in steps if isinstance(step, Run))


class Clock:
    """Shows how long an answer takes: pip may need minutes."""

    def __init__(self) -> None:
        self._tell = Sentences()
        self._began = 0.0

    def tick(self) -> None:
        """Say how long it has been."""
        self._tell(Progress(seconds=time.monotonic() - self._began))

    def __enter__(self) -> None:
        self._tell, self._began = Sentences(), time.monotonic()

    def __exit__(self, *ended: object) -> None:
        """Nothing is left drawn."""
        self._tell.clear()


def _say(step: Run, ask: Callable[[], Verification], clock: Clock, *, windows: bool) -> int:
    """Say the command and what is answered about it; the exit code."""
    say("\n".join(step_lines(step, windows=windows)))
    try:
        with clock:
            found = ask()
    except NotAsked as error:
        answer, code = f"not verified: {error}", NOT_ASKED
    else:
        answer, code = _answer(found)
    say("\n".join(f"  {visible(line)}" for line in _lines(answer)))
    return code


def _answer(found: Verification) -> tuple[str, int]:
    if found.unreachable:
        return f"not verified by {found.by}. {found.refused}", NOT_ASKED
    if found.refused is not None:
        return f"not verified: {found.by} refuses. {found.refused}", REFUSED
    if found.archives is None and not found.installs and found.by.startswith("nothing"):
        return f"not verified, by {found.by}", NOT_ASKED
    return f"verified by {found.by} in {found.seconds:.1f} s: {_would(found)}", VERIFIED


def _would(found: Verification) -> str:
    if not found.installs:
        return "nothing would change." if found.says else "it does not say what it would install."
    named = ", ".join(found.installs[:_NAMED])
    more = len(found.installs) - _NAMED
    return f"it would install {named}{f' and {more} more' if more > 0 else ''}."


def _lines(text: str) -> list[str]:
    """Lines without credentials and colours."""
    return [scrub(line) for line in text.splitlines()]
