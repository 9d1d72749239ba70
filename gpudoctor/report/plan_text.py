"""Renders plans for a terminal: what is done, why, what it needs, what is left."""

from collections.abc import Iterator

from gpudoctor.facts.fix import SetEnv
from gpudoctor.facts.plan import InstallPlan, Mending, Plan
from gpudoctor.facts.report import Report
from gpudoctor.facts.system import System
from gpudoctor.language import wrapping
from gpudoctor.plan.answer import Refusal
from gpudoctor.plan.places import new_folder, split_by_folder
from gpudoctor.report.commands import Shell, is_command, step_lines, visible
from gpudoctor.report.fit_lines import way_text
from gpudoctor.report.terminal import Style

SCOPES = {"user": "your own environment", "system": "the system: as root", "person": "by hand"}


def plan_text(plan: Plan, width: int, *, shell: Shell = "bash", no_verdict: tuple[str, ...] = ()) -> str:
    """The fixes in their order, then what contradicts and what is left; last, why there is no verdict."""
    lines: list[str] = []
    for number, one in enumerate(plan.fixes, 1):
        lines += [*_mending(number, one, width, shell), ""]
    for conflict in plan.conflicts:
        codes = ", ".join(conflict.codes)
        text = f"Left out because it conflicts with “{conflict.kept}”: {conflict.left_out} ({codes}). {conflict.text}"
        lines += [*_wrap(f"{text} Fix the first, then check again.", width), ""]
    for left in plan.unresolved:
        lines += [*_wrap(f"Not fixed: {left.code} {left.summary} {left.reason}", width), ""]
    needs = [need for need in ("root", "a restart", "a new login", "a new container") if _needs(plan, need)]
    if needs:
        lines += [*_wrap(f"In total this needs {', '.join(needs)}.", width), ""]
    if no_verdict:
        lines.append("Inconclusive, so there may be more to fix:" if lines else "Inconclusive, so no fix is proposed:")
        lines += [line for text in no_verdict for line in _item("- ", text, width)]
    return "\n".join(lines).rstrip() + "\n" if lines else "Nothing to fix.\n"


def fix_text(report: Report, style: Style) -> str:
    """The plan of a report for the shell of its machine."""
    shell: Shell = "powershell" if on_windows(report) else "bash"
    return plan_text(report.plan or Plan(), style.width, shell=shell, no_verdict=no_verdict(report))


def no_verdict(report: Report) -> tuple[str, ...]:
    """Why there may be more to fix; empty where there is a verdict."""
    if report.verdict == "bug":
        return ("gpudoctor itself failed; `gpudoctor check` shows how.",)
    if report.verdict != "incomplete":
        return ()
    return tuple(f"Not seen: {text}" for text in report.unseen)


def on_windows(report: Report) -> bool:
    """Whether the machine is known to run Windows."""
    return isinstance(report.snapshot.host, System) and report.snapshot.host.os == "windows"


def install_text(plan: InstallPlan, width: int, *, shell: Shell = "bash") -> str:
    """What is installed and why, the commands, and what else there is."""
    lines: list[str] = []
    for one in (plan, *plan.apart):
        lines += [*_environment(one, width, shell), ""]
    if plan.separate_because:
        lines += [*_wrap(f"Separate environments, because {plan.separate_because}.", width), ""]
    if plan.alternatives:
        lines.append("Other ways:")
        for other in plan.alternatives:
            lines += _item("- ", f"{other.build}: {', '.join(other.costs)}", width)
    return "\n".join(lines).rstrip() + "\n"


def refusals_text(refusals: tuple[Refusal, ...], width: int) -> str:
    """Why nothing is proposed, and what would do."""
    lines: list[str] = []
    for refusal in refusals:
        lines += _wrap(f"{refusal.text} (constraint: {refusal.constraint})", width)
        for way in refusal.ways:
            lines += _item("- ", way_text(way), width)
        for text in refusal.elsewhere:
            lines += _item("- ", f"another way: {text}", width)
    return "\n".join(lines) + "\n"


def _mending(number: int, one: Mending, width: int, shell: Shell) -> Iterator[str]:
    needs = f"; needs {', '.join(one.needs)}" if one.needs else ""
    yield from _wrap(f"{number}. {one.fix.title} ({_where(one)}{needs})", width)
    for code, because in zip(one.cures, one.because, strict=False):
        yield from _item("", f"{code}: {because}", width)
    for step in one.fix.steps:
        if isinstance(step, SetEnv) and step.where:
            yield from _item("", f"In {step.where}:", width)
        for line in step_lines(step, shell=shell):
            if is_command(step):
                yield f"    {wrapping.verbatim(line)}"
            else:
                yield from _item("  ", line, width)
    if one.fix.undo:
        yield from _item("", f"To undo: {one.fix.undo}", width)


def _where(one: Mending) -> str:
    """What it changes: the user's environment, a new folder beside it, the system."""
    folder = new_folder(one.fix.steps) if one.scope == "user" else None
    if folder is None:
        return SCOPES[one.scope]
    _, here = split_by_folder(one.fix.steps, folder)
    return f"{folder}, and {SCOPES['user']}" if here else f"{folder}, beside what is there"


def _environment(one: InstallPlan, width: int, shell: Shell) -> Iterator[str]:
    for choice in one.choices:
        yield visible(choice.build)
        for why in choice.why:
            yield from _item("+ ", why, width)
        for limit in choice.limits:
            yield from _item("! ", limit, width)
        if choice.why_not_newer:
            yield from _item("- ", choice.why_not_newer, width)
    for note in one.notes:
        yield from _wrap(note, width)
    yield ""
    for step in one.steps:
        for line in step_lines(step, shell=shell):
            yield f"    {wrapping.verbatim(line)}"


def _needs(plan: Plan, need: str) -> bool:
    return any(need in one.needs for one in plan.fixes)


def _item(mark: str, text: str, width: int) -> list[str]:
    return wrapping.wrap(visible(text), width, f"  {mark}", "    ")


def _wrap(text: str, width: int) -> list[str]:
    return wrapping.wrap(visible(text), width)
