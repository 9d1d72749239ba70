"""Other builds, and what each costs: nothing, another Python, another CUDA build, a newer driver. Data only."""

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
from gpudoctor.plan.solve import fit

#: More of a kind than these only confuse.
MOST_ALTERNATIVES = 4


def alternatives_of(
    found: Fit, demand: Demand, machine: Machine, matrix: Matrix, *, can_be_root: bool | None
) -> tuple[Alternative, ...]:
    """Other ways, those that cost least first; a newer driver last where the user cannot be root."""
    same = [Alternative(build=one.build, costs=(_cost(one, found),), argv=one.command) for one in _different(found)]
    chosen = {one.framework: one for place in found.environments for one in place.proposals}
    changed: list[Alternative] = []
    drivers: list[Alternative] = []
    for wanted in demand.wanted:
        own = chosen.get(wanted.framework)
        if own is not None:
            changed += _with_another_python(own, wanted, machine, matrix)
            drivers += _with_a_newer_driver(own, wanted, machine, matrix, can_be_root=can_be_root)
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


def _with_another_python(own: Proposal, wanted: Wanted, machine: Machine, matrix: Matrix) -> Iterator[Alternative]:
    """The newest release that another Python would give, if that is newer."""
    if machine.python is None:
        return
    pythons = {python for build in builds_of(wanted.framework, machine.platform, matrix) for python in build.pythons}
    best: tuple[Proposal, str] | None = None
    for python in sorted(pythons - {machine.python}, key=_distance_from(machine.python)):
        one = _only(fit(replace(machine, python=python), (wanted,), matrix))
        if one is not None and _newer(one, best[0] if best else own):
            best = (one, python)
    if best is not None:
        one, python = best
        yield Alternative(build=one.build, costs=(f"Python {python} in place of {machine.python}",), argv=one.command)


def _with_a_newer_driver(
    own: Proposal, wanted: Wanted, machine: Machine, matrix: Matrix, *, can_be_root: bool | None
) -> Iterator[Alternative]:
    """The newest release that a newer driver would give, if that is newer."""
    if machine.driver is None or not machine.uses_cuda:
        return
    one = _only(fit(replace(machine, driver=None), (wanted,), matrix))
    if one is None or not _newer(one, own):
        return
    build = next(build for build in _builds(one, machine, matrix))
    floor = driver_floor(build, machine.driver_os, matrix)
    if floor is not None and floor > machine.driver:
        who = ", by an administrator" if can_be_root is False else ""
        where = "Windows driver" if machine.wsl else "driver"
        yield Alternative(build=one.build, costs=(f"{where} >= {floor} in place of {machine.driver}{who}", "a restart"))


def _builds(one: Proposal, machine: Machine, matrix: Matrix) -> Iterator[Build]:
    return (build for build in builds_of(one.framework, machine.platform, matrix) if build.label == one.build)


def _only(found: Fit) -> Proposal | None:
    return next((one for place in found.environments for one in place.proposals), None)


def _newer(one: Proposal, other: Proposal) -> bool:
    left, right = package_version(one.version), package_version(other.version)
    return left is not None and right is not None and left > right


def _distance_from(python: str) -> Callable[[str], tuple[int, str]]:
    own = int(python.split(".")[1])
    return lambda text: (abs(int(text.split(".")[1]) - own), text)
