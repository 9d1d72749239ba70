"""Words the solver's answer of `matrix fit` line by line, for the terminal and the matrix page alike."""

from collections.abc import Iterable, Iterator
from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.fix import Run
from gpudoctor.plan.answer import Environment, Fit, Proposal, Refusal, Span, Way
from gpudoctor.plan.machine import Machine
from gpudoctor.report.commands import step_lines

#: what: the machine, a build, or a sentence of its own. why: a fact that a build meets. but: what does not work with
#: it, or must be known. not: what keeps a build away, or would do. which: one of several.
Kind = Literal["what", "command", "why", "but", "not", "which", "source"]


class FitLine(Fact, frozen=True):
    """A line of the answer."""

    kind: Kind
    text: str


Block = tuple[FitLine, ...]


def fit_blocks(fit: Fit) -> tuple[Block, ...]:
    """What to install and why, what else would fit, what does not and what would change that; in paragraphs."""
    windows = fit.machine.os == "windows"
    day = f", as of {fit.as_of}" if fit.as_of else ""
    return tuple(
        filter(
            None,
            (
                (FitLine("what", f"For {machine_words(fit.machine)}{day}:"),),
                *(
                    block
                    for number, one in enumerate(fit.environments, 1)
                    for block in _environment(one, number, len(fit.environments), windows=windows)
                ),
                _sentences(f"Separate environments, because {fit.separate_because}." if fit.separate_because else ""),
                *(tuple(_refusal(one, windows=windows)) for one in fit.refusals),
                *(_sentences(f"Another way: {text}") for text in fit.elsewhere),
                _listed("Also fit, each by itself", (one.build for one in fit.alternatives)),
                *(tuple(_span(one, windows=windows)) for one in fit.spans),
                *map(_sentences, fit.then),
                unjudged(fit.not_judged),
            ),
        )
    )


def unjudged(names: Iterable[str]) -> Block:
    """What the answer leaves open."""
    return _listed("Not judged, because not known", names)


def _sentences(text: str) -> Block:
    return (FitLine("what", text),) if text else ()


def _listed(title: str, names: Iterable[str]) -> Block:
    words = ", ".join(names)
    return _sentences(f"{title}: {words}." if words else "")


def _commands(*commands: tuple[str, ...], windows: bool) -> Iterator[FitLine]:
    for command in commands:
        yield from (FitLine("command", line) for line in step_lines(Run(argv=command), windows=windows))


def machine_words(machine: Machine) -> str:
    """A machine in words: its GPUs, driver, Python and system."""
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


def _environment(environment: Environment, number: int, count: int, *, windows: bool) -> Iterator[Block]:
    yield _sentences(f"Environment {number} of {count}" if count > 1 else "")
    yield tuple(_commands(environment.command, *environment.after, windows=windows))
    for proposal in environment.proposals:
        yield tuple(_proposal(proposal))
    if environment.extras:
        notes = (FitLine("but", note) for note in environment.notes)
        yield (*_listed("With it", environment.extras), *notes)


def _proposal(proposal: Proposal) -> Iterator[FitLine]:
    yield FitLine("what", proposal.build)
    yield from (FitLine("why", reason.text) for reason in proposal.why)
    yield from (FitLine("but", limit) for limit in proposal.limits)
    if proposal.why_not_newer is not None:
        yield FitLine("not", proposal.why_not_newer.words)
    yield FitLine("source", f"source ({proposal.confidence}, {proposal.checked}): {proposal.source}")


def _refusal(refusal: Refusal, *, windows: bool) -> Iterator[FitLine]:
    yield FitLine("what", f"{refusal.text} (constraint: {refusal.constraint})")
    yield from (FitLine("not", way_text(way)) for way in refusal.ways)
    for partial in refusal.partly:
        served, left_out = ", ".join(partial.serves), ", ".join(partial.leaves_out)
        yield FitLine("not", f"{partial.build} serves {served} and leaves out {left_out}:")
        yield from _commands(partial.command, windows=windows)
    yield from (FitLine("not", f"another way: {text}") for text in refusal.elsewhere)


def way_text(way: Way) -> str:
    """A way out in words: what would have to change, and for which build."""
    changes = [one.change for one in way.obstacles if one.change]
    if not changes:
        return "; ".join(one.text for one in way.obstacles)
    # Two GPUs can ask for the same change.
    wanted = " and ".join(dict.fromkeys(changes))
    return f"would do: {wanted}" + (f", for {way.build}" if way.build else "")


def _span(span: Span, *, windows: bool) -> Iterator[FitLine]:
    """From the oldest to the newest, each with its command."""
    named = (("oldest", span.oldest), ("nearest to what is installed", span.nearest), ("newest", span.newest))
    yield FitLine("what", f"{span.framework}: {span.releases} releases fit")
    for what, one in named:
        if one is not None:
            yield FitLine("which", f"{what}: {one.build}")
            yield from _commands(one.command, windows=windows)
