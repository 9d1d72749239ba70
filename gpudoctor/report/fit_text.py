"""The solver's answer as text."""

from gpudoctor.facts.fix import Run
from gpudoctor.language import wrapping
from gpudoctor.plan.answer import Environment, Fit, Partial, Proposal, Refusal, Span, Way
from gpudoctor.plan.constraints import Obstacle
from gpudoctor.plan.machine import Machine
from gpudoctor.report.commands import step_lines
from gpudoctor.report.terminal import Style


def fit_text(fit: Fit, style: Style) -> str:
    """The whole answer: what to install and why, what else would fit, what does not and what would change that."""
    width, verbose = style.width, style.verbosity > 0
    windows = fit.machine.os == "windows"
    day = f", as of {fit.as_of}" if fit.as_of else ""
    lines = [f"For {_machine(fit.machine)}{day}:", ""]
    for number, environment in enumerate(fit.environments, 1):
        lines += _environment(environment, number, len(fit.environments), width, windows=windows, verbose=verbose)
    if fit.separate_because is not None:
        lines += [*_wrap(f"Separate environments, because {fit.separate_because}.", width), ""]
    for refusal in fit.refusals:
        lines += _refusal(refusal, width, windows=windows)
    for text in fit.elsewhere:
        lines += [*_wrap(f"Another way: {text}", width), ""]
    if fit.alternatives:
        names = ", ".join(one.build for one in fit.alternatives)
        lines += [*_wrap(f"Also fit, each by itself: {names}.", width), ""]
    for span in fit.spans:
        lines += [*_span(span, windows=windows), ""]
    for text in fit.then:
        lines += [*_wrap(text, width), ""]
    if fit.not_judged:
        lines += [*_wrap(f"Not judged, because not known: {', '.join(fit.not_judged)}.", width), ""]
    return "\n".join(lines).rstrip() + "\n"


def _span(span: Span, *, windows: bool) -> list[str]:
    """From the oldest to the newest, each with its command."""
    named = (("oldest", span.oldest), ("nearest to what is installed", span.nearest), ("newest", span.newest))
    lines = [f"{span.framework}: {span.releases} releases fit"]
    for what, one in named:
        if one is not None:
            lines += [
                f"  {what}: {one.build}",
                *(f"    {line}" for line in step_lines(Run(argv=one.command), windows=windows)),
            ]
    return lines


def _machine(machine: Machine) -> str:
    gpus = [machine.label(index) for index in range(len(machine.gfx or machine.capabilities))]
    libc = f"{machine.libc or 'glibc'} {machine.libc_version or ''}".strip()
    parts = [
        *gpus,
        f"driver {machine.driver}" if machine.driver is not None else "",
        "no GPU" if machine.cpu_only else "",
        f"Python {machine.python}" if machine.python else "",
        machine.platform or "",
        libc if machine.libc or machine.libc_version else "",
    ]
    return ", ".join(filter(None, parts)) or "any machine"


def _environment(
    environment: Environment, number: int, count: int, width: int, *, windows: bool, verbose: bool
) -> list[str]:
    lines = [f"Environment {number} of {count}", ""] if count > 1 else []
    for command in (environment.command, *environment.after):
        lines += [f"    {line}" for line in step_lines(Run(argv=command), windows=windows)]
    lines.append("")
    for proposal in environment.proposals:
        lines += _proposal(proposal, width, verbose=verbose)
    if environment.extras:
        lines += _wrap(f"With it: {', '.join(environment.extras)}.", width)
        for note in environment.notes:
            lines += _item("! ", note, width)
        lines.append("")
    return lines


def _proposal(proposal: Proposal, width: int, *, verbose: bool) -> list[str]:
    lines = [proposal.build]
    for reason in proposal.why:
        lines += _item("+ ", reason.text, width)
    for limit in proposal.limits:
        lines += _item("! ", limit, width)
    if proposal.why_not_newer is not None:
        reasons = "; ".join(_obstacle(one) for one in proposal.why_not_newer.obstacles)
        lines += _item("- ", f"not {proposal.why_not_newer.build}: {reasons}", width)
    if verbose:
        lines += _item("  ", f"source ({proposal.confidence}, {proposal.checked}): {proposal.source}", width)
    return [*lines, ""]


def _refusal(refusal: Refusal, width: int, *, windows: bool) -> list[str]:
    lines = _wrap(f"{refusal.text} (constraint: {refusal.constraint})", width)
    for way in refusal.ways:
        lines += _item("- ", way_text(way), width)
    for partial in refusal.partly:
        lines += _partial(partial, width, windows=windows)
    for text in refusal.elsewhere:
        lines += _item("- ", f"another way: {text}", width)
    return [*lines, ""]


def way_text(way: Way) -> str:
    """A way out in words: what would have to change, and for which build."""
    changes = [one.change for one in way.obstacles if one.change]
    if not changes:
        return "; ".join(one.text for one in way.obstacles)
    # Two GPUs can ask for the same change.
    wanted = " and ".join(dict.fromkeys(changes))
    return f"would do: {wanted}" + (f", for {way.build}" if way.build else "")


def _partial(partial: Partial, width: int, *, windows: bool) -> list[str]:
    text = f"{partial.build} serves {', '.join(partial.serves)} and leaves out {', '.join(partial.leaves_out)}:"
    command = step_lines(Run(argv=partial.command), windows=windows)
    return [*_item("- ", text, width), *(f"    {line}" for line in command)]


def _obstacle(obstacle: Obstacle) -> str:
    return f"{obstacle.text} (would do: {obstacle.change})" if obstacle.change else obstacle.text


def _item(mark: str, text: str, width: int) -> list[str]:
    return wrapping.wrap(
        text,
        width,
        initial_indent=f"  {mark}",
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def _wrap(text: str, width: int) -> list[str]:
    return wrapping.wrap(text, width, break_on_hyphens=False, break_long_words=False)
