"""Drops fixes that the last change already ran without effect."""

import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from gpudoctor.apply.distributions import differences, installed
from gpudoctor.apply.installer import scrubbed
from gpudoctor.apply.journal import Change, load_changes
from gpudoctor.facts.fix import Run
from gpudoctor.facts.plan import Mending, Unresolved
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.report import Report
from gpudoctor.install.applying import real_folder

#: With these a command does something each time.
_ANEW = frozenset({"--force-reinstall", "--reinstall", "--ignore-installed"})


def without_tried(report: Report) -> Report:
    """The report; its plan says so where running a command again would change nothing, and does not propose it."""
    plan, target = report.plan, report.snapshot.interpreter
    if plan is None or not plan.fixes or not isinstance(target, Interpreter) or target.prefix is None:
        return report
    changes = load_changes(real_folder(target.prefix))
    last = changes[-1] if changes and changes[-1].state == "done" else None
    if last is None or differences(last.after, installed(last.environment)):
        return report
    tried = [one for one in plan.fixes if _was_run(one, last)]
    left = tuple(one for one in plan.fixes if one not in tried)
    told = (unresolved for one in tried for unresolved in _told(one, last))
    return replace(report, plan=replace(plan, fixes=left, unresolved=(*plan.unresolved, *told)))


def _commands(mending: Mending) -> list[tuple[str, ...]]:
    return [scrubbed(step.argv) for step in mending.fix.steps if isinstance(step, Run)]


def _was_run(mending: Mending, change: Change) -> bool:
    commands = _commands(mending)
    again = any(_ANEW & {*command} for command in commands)
    return bool(commands) and mending.scope == "user" and not again and set(commands) <= set(change.commands)


def _told(mending: Mending, change: Change) -> Iterator[Unresolved]:
    command = shlex.join(_commands(mending)[-1])
    reason = f"`{command}` was run for this already ({change.id}), and running it again would change nothing."
    for code, summary in zip(mending.cures, mending.because, strict=False):
        yield Unresolved(code=code, summary=summary, reason=reason)
