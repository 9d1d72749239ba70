"""Resolves a request with the installer's dry run: what comes along, what changes, what breaks.

The plan is tried, and changed until the builds that come along fit the machine and all that is installed still agrees,
as far as there is such a solution.
"""

from collections.abc import Callable

from msgspec.structs import replace

from gpudoctor.apply.conflicts import Foreseen
from gpudoctor.apply.dry_run_result import Verification
from gpudoctor.facts.base import Fact
from gpudoctor.facts.plan import InstallPlan
from gpudoctor.plan.brought_along import brought_along, frameworks_of, narrowed, unpinned
from gpudoctor.plan.demand import Demand, NotADemand, named
from gpudoctor.plan.install import Refused

#: Answers of the installer; each costs seconds.
MOST_TRIES = 6

PlanOf = Callable[[Demand], InstallPlan | Refused]
#: The installer's answer to a plan; None where it cannot be asked.
Ask = Callable[[InstallPlan], Verification | None]
Foresee = Callable[[InstallPlan, Verification], Foreseen]


class Resolution(Fact, frozen=True, kw_only=True):
    """The demand, made so that it can be installed, and what the installer said of it."""

    demand: Demand
    #: The plan that was asked about last, or why there is none.
    plan: InstallPlan | Refused
    #: None: nobody could be asked.
    found: Verification | None = None
    foreseen: Foreseen = Foreseen()
    notes: tuple[str, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """All that is asked for is installed."""
        found, plan = self.found, self.plan
        if found is None or isinstance(plan, Refused) or found.refused is not None:
            return False
        return found.says and not (found.installs or plan.removed or plan.make or plan.install[1:])


def resolve(demand: Demand, plan_of: PlanOf, ask: Ask, foresee: Foresee) -> Resolution:
    """Ask, and take what is learned into the demand, until nothing is left to learn."""
    best: Resolution | None = None
    notes: tuple[str, ...] = ()
    at = Resolution(demand=demand, plan=plan_of(demand))
    for _ in range(MOST_TRIES):
        at, plan = replace(at, notes=notes), at.plan
        if isinstance(plan, Refused) or (found := ask(plan)) is None or found.unreachable:
            return best or at
        at = replace(at, found=found)
        if found.refused is not None:
            after = _as_it_takes_them(at, demand, plan_of, ask)
            if after is None:
                # With what others require there is no solution: without it there is one, which breaks them.
                return best or at
            at = after
            continue
        if releases := brought_along(at.demand, found.installs):
            notes = (*notes, f"{', '.join(releases)} comes along with what is asked for.")
            at = _narrowed(at.demand, releases, plan_of)
            continue
        at = replace(at, foreseen=foresee(plan, found))
        bounds = tuple(one for one in at.foreseen.bounds if one not in at.demand.others)
        if at.demand.hashed or not bounds:
            return at if best is None or not at.foreseen.breaks else best
        best = best or at
        notes = (*notes, f"Held to what installed packages require: {', '.join(bounds)}.")
        bounded = replace(at.demand, others=(*at.demand.others, *bounds))
        at = Resolution(demand=bounded, plan=plan_of(bounded))
    return best or at


def _as_it_takes_them(at: Resolution, asked: Demand, plan_of: PlanOf, ask: Ask) -> Resolution | None:
    """The frameworks at the releases that the installer would take, as other packages bound these; None: no other.

    `asked` is what the user asked for: what was learned of releases without these bounds does not count.
    """
    asked = replace(asked, others=at.demand.others)
    plan = plan_of(unpinned(asked)) if at.demand.wanted else None
    if plan is None or isinstance(plan, Refused) or (found := ask(plan)) is None or found.refused is not None:
        return None
    releases = frameworks_of(found.installs)
    after = _narrowed(asked, releases, plan_of)
    return after if releases and named(after.demand) != named(at.demand) else None


def _narrowed(demand: Demand, releases: dict[str, str], plan_of: PlanOf) -> Resolution:
    found = Resolution(demand=demand, plan=Refused(refusals=()))
    for one in narrowed(demand, releases):
        try:
            found = Resolution(demand=one, plan=plan_of(one))
        except NotADemand:
            continue
        if not isinstance(found.plan, Refused):
            break
    return found
