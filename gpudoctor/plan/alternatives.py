"""Alternative builds and what each would cost: another Python, another CUDA build, a newer driver."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from gpudoctor.facts.plan import Alternative
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Fit, Proposal, Wanted
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.constraints import driver_floor
from gpudoctor.plan.demand import Demand
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit, has_builds

#: More of a kind than these only confuse.
MOST_ALTERNATIVES = 4


def alternatives_of(
    found: Fit, demand: Demand, machine: Machine, matrix: Matrix, *, can_be_root: bool | None
) -> tuple[Alternative, ...]:
    """Other ways, those that cost least first; a newer driver last where the user cannot be root."""
    same = [Alternative(build=one.build, costs=(_cost(one, found),), argv=one.command) for one in _different(found)]
    changed = _with_another_python(found, demand.wanted, machine, matrix)
    drivers = _with_a_newer_driver(found, demand.wanted, machine, matrix, can_be_root=can_be_root)
    return (*same[:MOST_ALTERNATIVES], *changed, *drivers)


def _different(found: Fit) -> list[Proposal]:
    """One of each line and CUDA: 2.14.0 is no choice beside 2.14.1."""
    seen = {_kind(one) for place in found.environments for one in place.proposals}
    others = []
    for one in found.alternatives:
        others += [one] if _kind(one) not in seen else []
        seen.add(_kind(one))
    return others


def _kind(one: Proposal) -> tuple[str, tuple[str, ...], str | None]:
    return one.framework, tuple(one.version.split(".")[:2]), one.cuda


def _cost(one: Proposal, found: Fit) -> str:
    chosen = next(own for place in found.environments for own in place.proposals if own.framework == one.framework)
    if one.version != chosen.version:
        return "a newer release" if _newer(one, chosen) else "an older release"
    if one.cuda is not None:
        return f"the same release, built for CUDA {one.cuda}"
    return "the same release, built otherwise"


def _with_another_python(
    found: Fit, wanted: tuple[Wanted, ...], machine: Machine, matrix: Matrix
) -> Iterator[Alternative]:
    """Of each framework the newest release that another Python would give all of them, if that is newer."""
    if machine.python is None:
        return
    builds = (build for one in wanted for build in builds_of(one.framework, machine.platform, matrix))
    pythons = {python for build in builds for python in build.pythons} - {machine.python}
    chosen = _by_framework(found)
    best: dict[str, tuple[Proposal, str]] = {}
    for python in sorted(pythons, key=_distance_from(machine.python)):
        for framework, one in _instead(found, replace(machine, python=python), wanted, matrix).items():
            if _newer(one, best[framework][0] if framework in best else chosen[framework]):
                best[framework] = (one, python)
    for framework in chosen:
        if framework in best:
            one, python = best[framework]
            costs = (f"Python {python} in place of {machine.python}",)
            yield Alternative(build=one.build, costs=costs, argv=one.command)


def _with_a_newer_driver(
    found: Fit, wanted: tuple[Wanted, ...], machine: Machine, matrix: Matrix, *, can_be_root: bool | None
) -> Iterator[Alternative]:
    """Of each framework the newest release that a newer driver would give, if that is newer."""
    if machine.driver is None or not machine.uses_cuda:
        return
    instead = _instead(found, replace(machine, driver=None), wanted, matrix)
    for framework, own in _by_framework(found).items():
        one = instead.get(framework)
        if one is None or not _newer(one, own):
            continue
        floor = driver_floor(next(_builds(one, machine, matrix)), machine.driver_os, matrix)
        if floor is not None and floor > machine.driver:
            who = ", by an administrator" if can_be_root is False else ""
            where = "Windows driver" if machine.wsl else "driver"
            costs = (f"{where} >= {floor} in place of {machine.driver}{who}", "a restart")
            yield Alternative(build=one.build, costs=costs, argv=one.command)


def _instead(found: Fit, machine: Machine, wanted: tuple[Wanted, ...], matrix: Matrix) -> dict[str, Proposal]:
    """What all that is wanted would be on another machine; nothing where some has no build, or they need be apart."""
    if not has_builds(machine, wanted, matrix):
        return {}
    other = fit(machine, wanted, matrix)
    is_whole = not other.refusals and len(other.environments) <= len(found.environments)
    return _by_framework(other) if is_whole else {}


def _by_framework(found: Fit) -> dict[str, Proposal]:
    return {one.framework: one for place in found.environments for one in place.proposals}


def _builds(one: Proposal, machine: Machine, matrix: Matrix) -> Iterator[Build]:
    return (build for build in builds_of(one.framework, machine.platform, matrix) if build.label == one.build)


def _newer(one: Proposal, other: Proposal) -> bool:
    left, right = package_version(one.version), package_version(other.version)
    return left is not None and right is not None and left > right


def _distance_from(python: str) -> Callable[[str], tuple[int, str]]:
    own = int(python.split(".")[1])
    return lambda text: (abs(int(text.split(".")[1]) - own), text)
