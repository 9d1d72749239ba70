"""Which builds would have fitted on an earlier day, without what came out later."""

from collections.abc import Iterator

from msgspec.structs import replace

from gpudoctor.knowledge.frameworks import packages_of, title_of
from gpudoctor.knowledge.matrix.as_of import MatrixAsOf, as_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Fit, Refusal
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.demand import Demand
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.pairing import fit_with_extras

#: Releases without a date that are named.
MOST = 4


def fit_as_of(machine: Machine, demand: Demand, day: str, matrix: Matrix) -> Fit:
    """The builds that fitted on a day (ISO); what later turned out to be broken counts as broken."""
    then = as_of(matrix, day)
    found = fit_with_extras(machine, demand, then)
    refusals = tuple(_said(one, day, builds_of(one.framework, machine.platform, then)) for one in found.refusals)
    return replace(found, refusals=refusals, as_of=day, then=tuple(_notes(then, machine, demand, matrix)))


def _said(refusal: Refusal, day: str, builds: tuple[Build, ...]) -> Refusal:
    """The refusal; where there was no build at all, with that day."""
    if builds:
        return refusal
    text = f"No release of {title_of(refusal.framework)} that the tables have was out on {day}."
    return replace(refusal, text=text, ways=())


def _notes(then: MatrixAsOf, machine: Machine, demand: Demand, matrix: Matrix) -> Iterator[str]:
    if then.day > matrix.edition:
        yield f"The tables end on {matrix.edition}; what came out after that is not in them."
    came = then.driver_came_later(machine.driver) if machine.driver is not None and machine.os == "linux" else None
    if came is not None and machine.driver is not None:
        yield f"The first driver of branch {machine.driver.branch} came out on {came}, after that day."
    asked = {
        *(name for one in demand.wanted for name in packages_of(one.framework)),
        *(name for name, _ in demand.extras),
    }
    unknown = sorted(one for one in then.unknown if one.split()[0] in asked)
    if unknown:
        more = f" and {len(unknown) - MOST} more" if len(unknown) > MOST else ""
        yield f"Left out, because it is not known when they came out: {', '.join(unknown[:MOST])}{more}."
