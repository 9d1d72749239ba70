"""`gpudoctor fix --apply`: applies fixes of the environment, checks again, and says which findings are gone."""

import os
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

import click
from msgspec.structs import replace

from gpudoctor.apply.building import interpreter_of
from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Finished, Output
from gpudoctor.apply.preconditions import Refused, check_new
from gpudoctor.apply.retarget import is_own, led, names_of
from gpudoctor.cli.fix_plan import codes_of, show_plan, with_plan
from gpudoctor.cli.install import can_ask
from gpudoctor.errors import Misused, NothingChanged
from gpudoctor.examine.judging import Criteria, criteria_of, judge
from gpudoctor.examine.look import begin_to_examine, run_frameworks
from gpudoctor.facts.fix import Run, Write
from gpudoctor.facts.plan import Mending, Plan, Step
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.report import Report
from gpudoctor.install.applying import but_unreachable, file_sizes, of_target, real_folder
from gpudoctor.install.in_use import tell_users
from gpudoctor.install.outcome import Key, compared, cured_there, outcome_text, without
from gpudoctor.install.preview import tell_what_fixes_change
from gpudoctor.install.repeated_fixes import without_tried
from gpudoctor.install.reporters import JsonLines, Sentences, ending
from gpudoctor.install.smoke_proof import Proving, look
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.indexes import Indexes
from gpudoctor.plan.other_indexes import without_torch_index
from gpudoctor.plan.places import new_folder, split_by_folder
from gpudoctor.plan.this_machine import scene_of
from gpudoctor.report.output import write_text
from gpudoctor.report.plan_text import no_verdict

_NOT_OURS = (
    "Nothing of this is for gpudoctor to do: it changes your own environments only, and no variable of the shell that "
    "started it."
)
_P = ParamSpec("_P")
_T = TypeVar("_T")


def apply(
    python: str | None, only: tuple[str, ...], require: tuple[str, ...], indexes: Indexes, *, yes: bool, as_json: bool
) -> int:
    """Carry the plan for an environment out, as far as it is ours to do; the exit code."""
    with JsonLines() if as_json else Sentences() as tell:
        criteria = criteria_of((), (), require, None)
        codes = codes_of(only, criteria)
        # What only shows when a framework is run is to be mended, too.
        snapshot, complete = run_frameworks(begin_to_examine(python)(), quiet=as_json)
        if not complete:
            raise KeyboardInterrupt
        report = without_tried(with_plan(judge(snapshot, criteria), codes, indexes))
        return _carry_out(report, criteria, codes, tell, yes=yes)


def _carry_out(
    report: Report, criteria: Criteria, codes: tuple[str, ...], tell: JsonLines | Sentences, *, yes: bool
) -> int:
    plan, target = report.plan or Plan(), report.snapshot.interpreter
    as_json = isinstance(tell, JsonLines)
    if not as_json:
        show_plan(report, "terminal", None)
    works = tuple(_works(plan, target)) if isinstance(target, Interpreter) else ()
    if not works or not isinstance(target, Interpreter):
        if plan.fixes:
            click.echo(_NOT_OURS, err=True)
        reason = _NOT_OURS if plan.fixes else "; ".join(no_verdict(report)) or "there is nothing to fix"
        tell(Finished(outcome="nothing-to-do", exit_code=report.exit_code, reason=reason))
        return report.exit_code
    tell_users((work.environment for work, *_ in works), tell)
    if not yes and can_ask(as_json=as_json):
        tell_what_fixes_change((work for work, *_ in works), target, tell)
    _ask(yes=yes, as_json=as_json)
    elsewhere: dict[Key, str] = {}
    for work, before, mending in works:
        end = _carried_out(work, Proving(before=before, quiet=as_json), report, tell, yes=yes)
        if end.exit_code not in (0, 5):
            return end.exit_code
        if mending is not None:
            there = judge(look(interpreter_of(work.environment)), criteria)
            elsewhere |= dict.fromkeys(cured_there(mending, report, there), work.environment)
    snapshot, _ = run_frameworks(look(target.executable), quiet=as_json)
    again = without_tried(with_plan(without(judge(snapshot, criteria), elsewhere), codes))
    checked = compared(report, again, elsewhere)
    tell(checked)
    if not as_json:
        write_text(outcome_text(checked, again))
    return again.exit_code or end.exit_code


def _carried_out(work: Work, prove: Proving, report: Report, tell: JsonLines | Sentences, *, yes: bool) -> Finished:
    """How it ended; where PyTorch's own index does not answer, with what the package index has."""
    target = report.snapshot.interpreter
    assert isinstance(target, Interpreter)
    as_json = isinstance(tell, JsonLines)
    other = without_torch_index(work.steps, scene_of(report.snapshot), load_matrix())
    end = carry_out(work, prove, but_unreachable(tell) if other else tell, file_sizes(target))
    if end.unreachable and other is not None:
        told = f"PyTorch's own index could not be reached. From the package index: {', '.join(other.differs)}."
        tell(Output(text=told))
        click.echo(told, err=True)
        _ask(yes=yes, as_json=as_json)
        end = carry_out(replace(work, steps=other.steps), prove, tell, file_sizes(target))
    if not as_json:
        write_text(ending(end, work.environment))
    return end


def _ask(*, yes: bool, as_json: bool) -> None:
    if yes:
        return
    if not can_ask(as_json=as_json):
        raise Misused("nobody can be asked here. Add --yes to carry this out. Nothing was done.")
    if not click.confirm("Carry out what concerns this environment?", default=False):
        click.echo("Nothing was done.")
        raise click.exceptions.Exit(6)


def _works(plan: Plan, target: Interpreter) -> Iterator[tuple[Work, str | None, Mending | None]]:
    """The work on each new environment, with the fix that makes it, then that on the target's, all in one."""
    here: list[Step] = []
    for mending in plan.appliable:
        folder = new_folder(mending.fix.steps)
        if folder is None:
            here += mending.fix.steps
            continue
        there, rest = split_by_folder(mending.fix.steps, folder)
        here += rest
        whole = os.path.abspath(folder)
        steps = tuple(led(step, folder, whole) if isinstance(step, Run) else step for step in there)
        place = real_folder(folder)
        _allowed(check_new, place, replace=False)
        yield Work(environment=place, given=place, kind="new", steps=steps, variables=dict(os.environ)), None, mending
    if not any(isinstance(step, Run | Write) for step in here):
        return
    site = _allowed(of_target, target)
    names = names_of(str(site["environment"]), str(site["given"]))
    own = tuple(step for step in here if is_own(step, names))
    if not own:
        return
    work = Work(steps=own, variables=dict(os.environ), **site)  # type: ignore[arg-type]
    yield work, target.executable, None


def _allowed(check: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T:
    """What `check` returns; its refusal as the command's end."""
    try:
        return check(*arguments, **options)
    except Refused as error:
        raise NothingChanged(f"{error} Nothing was changed.") from None
