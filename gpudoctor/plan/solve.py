"""The solver: finds builds that fit the machine, the request and each other."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.amd import fit_amd
from gpudoctor.plan.answer import Environment, Fit, Proposal, Refusal, Wanted
from gpudoctor.plan.builds import Build
from gpudoctor.plan.compatibility import Asks, clash, requirements_of
from gpudoctor.plan.constraints import Obstacle
from gpudoctor.plan.fit import ranked
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.off_index import builds_elsewhere
from gpudoctor.plan.proposals import environment, proposal
from gpudoctor.plan.unsat_reasons import Judge, driver_refusal, judge, not_newer, refusal, wish_obstacles

#: Other builds that are listed for each framework.
MOST_ALTERNATIVES = 4


def fit(machine: Machine, wish: tuple[Wanted, ...], matrix: Matrix) -> Fit:
    """The builds that fit the machine, best first, or what keeps every one from it.

    Of several frameworks the first is the most important: it is as new as it can be, then the second, and so on. They
    share one environment where what they ask for is known to agree.
    """
    if machine.gfx and not machine.cpu_only:
        return fit_amd(machine, wish, matrix)
    unknown = not_judged(machine, matrix)
    hopeless = driver_refusal(machine, matrix)
    if hopeless is not None:
        return Fit(machine=machine, refusals=(hopeless,), not_judged=unknown)
    lists = {wanted.framework: _candidates(wanted, machine, matrix) for wanted in wish}
    refusals = tuple(_refusals(wish, lists, machine, matrix))
    if refusals and machine.os == "macos" and not machine.cpu_only:
        # A macOS too old for its GPU still computes.
        return fit(replace(machine, cpu_only=True), wish, matrix)
    served = tuple(wanted for wanted in wish if lists[wanted.framework])
    asks = _remembered(machine, matrix)
    chosen = _together([lists[wanted.framework] for wanted in served], asks)
    because = None
    if chosen is None:
        chosen = tuple(lists[wanted.framework][0] for wanted in served)
        because = next(_clashes(chosen, asks), None)
    proposals = _proposals(chosen, served, machine, matrix, None if because else asks)
    apart = because is not None
    return Fit(
        machine=machine,
        environments=_environments(proposals, machine, apart=apart),
        separate_because=because,
        alternatives=tuple(_alternatives(chosen, served, lists, machine, matrix, None if apart else asks)),
        refusals=refusals,
        not_judged=unknown,
        elsewhere=builds_elsewhere(_without_gpu(served, chosen, machine), machine, matrix),
    )


def _without_gpu(served: tuple[Wanted, ...], chosen: tuple[Build, ...], machine: Machine) -> tuple[Wanted, ...]:
    """What runs on the processor of a Mac, whose GPU another build would use."""
    pairs = zip(served, chosen, strict=True)
    return tuple(one for one, build in pairs if machine.os == "macos" and build.processor == "cpu")


def _candidates(wanted: Wanted, machine: Machine, matrix: Matrix) -> tuple[Build, ...]:
    builds = ranked(wanted.framework, machine, matrix)
    return tuple(build for build in builds if not any(wish_obstacles(build, wanted, machine, matrix)))


def has_builds(machine: Machine, wish: tuple[Wanted, ...], matrix: Matrix) -> bool:
    """Whether all that is wanted has some build; why it has none takes `fit` longer to say."""
    # A Mac's GPU, and AMD's, have ways of their own.
    return machine.os == "macos" or bool(machine.gfx) or all(_candidates(one, machine, matrix) for one in wish)


def _refusals(
    wish: tuple[Wanted, ...], lists: Mapping[str, tuple[Build, ...]], machine: Machine, matrix: Matrix
) -> Iterator[Refusal]:
    for wanted in wish:
        if not lists[wanted.framework]:
            yield replace(refusal(wanted, machine, matrix), elsewhere=builds_elsewhere((wanted,), machine, matrix))


def _remembered(machine: Machine, matrix: Matrix) -> Asks:
    known: dict[str, dict[str, str]] = {}

    def asks(build: Build) -> Mapping[str, str]:
        if build.label not in known:
            known[build.label] = requirements_of(build, machine, matrix)
        return known[build.label]

    return asks


def _together(lists: list[tuple[Build, ...]], asks: Asks, chosen: tuple[Build, ...] = ()) -> tuple[Build, ...] | None:
    """The first choice, in the order of the lists, of builds that all agree."""
    if not lists:
        return chosen
    for build in lists[0]:
        if all(clash(other, build, asks) is None for other in chosen):
            found = _together(lists[1:], asks, (*chosen, build))
            if found is not None:
                return found
    return None


def _clashes(chosen: tuple[Build, ...], asks: Asks) -> Iterator[str]:
    for index, build in enumerate(chosen):
        for other in chosen[:index]:
            text = clash(other, build, asks)
            if text is not None:
                yield text


def _proposals(
    chosen: tuple[Build, ...], served: tuple[Wanted, ...], machine: Machine, matrix: Matrix, asks: Asks | None
) -> tuple[Proposal, ...]:
    found = []
    for build, wanted in zip(chosen, served, strict=True):
        others = tuple(other for other in chosen if other is not build)
        judged = _beside(judge(wanted, machine, matrix), others, asks)
        found.append(proposal(build, wanted, machine, matrix, not_newer(build, machine, judged, matrix)))
    return tuple(found)


def _beside(judged: Judge, others: tuple[Build, ...], asks: Asks | None) -> Judge:
    """The same judge, who also sees the builds of the same environment."""
    return lambda build: [*judged(build), *_pins(build, others, asks)]


def _pins(build: Build, others: tuple[Build, ...], asks: Asks | None) -> Iterator[Obstacle]:
    """What keeps a build out of the environment that it would share."""
    if asks is None:
        return
    for other in others:
        text = clash(build, other, asks)
        if text is not None:
            yield Obstacle(constraint="pins", text=text, change="an environment of its own")


def _environments(proposals: tuple[Proposal, ...], machine: Machine, *, apart: bool) -> tuple[Environment, ...]:
    if apart:
        return tuple(environment((one,), machine) for one in proposals)
    return (environment(proposals, machine),) if proposals else ()


def _alternatives(
    chosen: tuple[Build, ...],
    served: tuple[Wanted, ...],
    lists: Mapping[str, tuple[Build, ...]],
    machine: Machine,
    matrix: Matrix,
    asks: Asks | None,
) -> Iterator[Proposal]:
    """`asks`: they are to share the environment with the other builds that were chosen."""
    for build, wanted in zip(chosen, served, strict=True):
        beside = tuple(other for other in chosen if other is not build)
        # What must be linked, too, is no one command.
        others = [
            other
            for other in lists[wanted.framework]
            if other is not build and not other.links and not any(_pins(other, beside, asks))
        ]
        for other in others[:MOST_ALTERNATIVES]:
            yield proposal(other, wanted, machine, matrix)


def not_judged(machine: Machine, matrix: Matrix) -> tuple[str, ...]:
    """What is not known of a machine, in words, and was therefore not judged."""
    if not machine.uses_cuda:
        system = ("macOS release",) if machine.os == "macos" and machine.macos is None else ()
        return (*(name for name in machine.not_judged if name not in ("driver", "GPU")), *system)
    found = list(machine.not_judged)
    if machine.driver is not None and "." not in machine.driver.text:
        found.append(f"which release of driver branch {machine.driver} it is (taken as the first)")
    found += _unknown_branch(machine, matrix)
    if machine.os == "linux" and machine.libc is None and machine.libc_version is None:
        found.append("C library")
    return tuple(found)


def _unknown_branch(machine: Machine, matrix: Matrix) -> Iterator[str]:
    """A driver of a branch that the matrix lacks; a newer one serves at least what the newest that is known does."""
    if machine.driver is None or matrix.driver_branch(machine.driver, machine.driver_os) is not None:
        return
    newest = matrix.newest_branch(machine.driver_os)
    if newest is not None and machine.driver.branch > newest.last:
        yield (
            f"what is new in driver branch {machine.driver.branch} (newer than all that are known; taken to serve at "
            f"least what branch {newest.branch} does, CUDA {newest.cuda})"
        )
    else:
        yield f"driver branch {machine.driver.branch} itself (no branch of this number is known)"
