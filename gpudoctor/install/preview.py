"""Previews an install before the user confirms: what the installer would change."""

import sys
import tempfile
from collections.abc import Callable, Iterable

from gpudoctor.apply.carry_out import Work
from gpudoctor.apply.conflicts import Foreseen, foresee
from gpudoctor.apply.dry_run import is_compiled, is_install
from gpudoctor.apply.dry_run_elsewhere import Asking, NotAsked
from gpudoctor.apply.dry_run_result import Verification
from gpudoctor.apply.events import Changes, Event, Finished
from gpudoctor.apply.installer import environment_for
from gpudoctor.errors import NothingChanged
from gpudoctor.facts.fix import Run
from gpudoctor.facts.plan import InstallPlan
from gpudoctor.facts.python import Interpreter
from gpudoctor.install.applying import distributions_of
from gpudoctor.install.planning import Wishes, demand_of_all, machine_for, planner
from gpudoctor.install.reporters import visible_lines
from gpudoctor.install.resolving import Resolution, resolve
from gpudoctor.install.target import Site
from gpudoctor.install.verifying import Clock
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.brought_along import cannot_run
from gpudoctor.plan.demand import Demand
from gpudoctor.probes.requirements.markers import marker_environment
from gpudoctor.report.output import say
from gpudoctor.sources.package_names import normalise

Tell = Callable[[Event], None]


def resolved(wishes: Wishes, site: Site) -> Resolution:
    """What is to be installed so that all fits, as far as the installer must be asked for that, and can be.

    Raises Failure where a file settles builds that do not run here.
    """
    machine = machine_for(wishes, site)
    demand = demand_of_all(wishes, machine)
    plan_of = planner(wishes, site, machine)
    if not _is_to_be_asked(demand, site):
        return Resolution(demand=demand, plan=plan_of(demand))
    clock = Clock()
    markers = marker_environment(sys.platform, site.target)
    folder = None if site.place.is_new else site.target.prefix

    def see(plan: InstallPlan, found: Verification) -> Foreseen:
        return foresee(folder, found.installs, plan.removed, markers)

    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as scratch:
        asking = Asking(scratch, environment_for(site.variables), clock.tick, site.answers)

        def ask(plan: InstallPlan) -> Verification | None:
            first = next(step for step in plan.install if isinstance(step, Run))
            try:
                with clock:
                    return asking.ask(first, tuple(step for step in plan.make if isinstance(step, Run)))
            except NotAsked:
                return None

        found = resolve(demand, plan_of, ask, see)
    for note in found.notes:
        say(visible_lines(note))
    if demand.settled and found.found is not None:
        stopped = cannot_run(found.found.installs, machine, load_matrix())
        if stopped:
            raise NothingChanged(
                f"{demand.settled}, and what it takes does not run here: {' '.join(stopped)}. Ask for another release, "
                "or another index, in that file. Nothing was changed."
            )
    return found


def tell_what_fixes_change(works: Iterable[Work], target: Interpreter, tell: Tell) -> None:
    """Tell what fixes would change in environments that are there, and whom that breaks, as far as the installer says.

    What it says is kept for the work itself. Where it refuses, or cannot be asked, the work will say so.
    """
    for work in works:
        if work.kind == "changed":
            _tell_what_it_changes(work, target, tell)


def _tell_what_it_changes(work: Work, target: Interpreter, tell: Tell) -> None:
    commands = [step for step in work.steps if isinstance(step, Run)]
    installs: tuple[str, ...] = ()
    clock = Clock()
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as scratch, clock:
        asking = Asking(scratch, environment_for(work.variables), clock.tick, work.answers)
        for step in commands:
            if not is_install(step.argv) or is_compiled(step.argv):
                continue
            try:
                found = asking.ask(step)
            except NotAsked:
                return
            if found.refused is not None or not found.says:
                return
            installs += found.installs
    seen = foresee(work.environment, installs, _removed(commands), marker_environment(sys.platform, target))
    if seen.changes or seen.breaks:
        tell(Changes(changes=seen.changes, breaks=seen.words))


def _removed(commands: list[Run]) -> set[str]:
    """What is uninstalled, and not installed again by its name."""
    gone: set[str] = set()
    for step in commands:
        if "uninstall" in step.argv:
            gone |= {normalise(word) for word in step.argv[step.argv.index("uninstall") + 1 :]}
        elif is_install(step.argv):
            gone -= {*distributions_of(step.argv)}
    return gone


def _is_to_be_asked(demand: Demand, site: Site) -> bool:
    """A new environment with frameworks alone brings nothing along, and breaks nothing; conda's is not there yet."""
    if site.place.conda is not None:
        return False
    return bool(demand.others or demand.files) or not site.place.is_new


def foreseen(found: Resolution, tell: Tell, *, may_break: bool, dry_run: bool) -> bool:
    """Tell what changes and whom it breaks; whether anything is to be done. Raises NothingChanged where it may not."""
    if found.is_nothing and not dry_run:
        # No copy, no switch, no entry in the history.
        tell(Finished(outcome="nothing-to-do", exit_code=0, reason="all that is asked for is installed"))
        say("Nothing to do: all that is asked for is installed.")
        return False
    if found.foreseen.changes:
        tell(Changes(changes=found.foreseen.changes, breaks=found.foreseen.words))
    if found.foreseen.breaks and not may_break:
        raise NothingChanged(
            f"It would break what is installed: {'; '.join(found.foreseen.words)}. No releases were found that suit "
            "all. To install all the same: --allow-breaking. To leave this environment alone: --venv DIR. Nothing was "
            "changed."
        )
    return True
