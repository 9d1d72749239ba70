"""From what a user asks for to plans of environments."""

import click

from gpudoctor.cli.sites import NotThere, Site
from gpudoctor.matrix.load import load_matrix
from gpudoctor.model.base import Fact
from gpudoctor.model.plan import InstallPlan
from gpudoctor.plan.demand import Demand, NotADemand, parse_demand
from gpudoctor.plan.here import can_be_root, machine_here, packages_here, scene_of
from gpudoctor.plan.indexes import Indexes
from gpudoctor.plan.install import Refused, plan_install


class Wishes(Fact, frozen=True, kw_only=True):
    """What was asked for, as it was written."""

    words: tuple[str, ...] = ()
    cuda: str | None = None
    requirements: str | None = None
    from_pyproject: bool = False
    index_url: str | None = None
    torch_index: str | None = None


def plan_for(wishes: Wishes, site: Site) -> tuple[InstallPlan, ...]:
    """One plan for each environment. Raises click.ClickException."""
    matrix = load_matrix()
    demand, scene = _demand(wishes), scene_of(site.snapshot)
    plan = plan_install(
        machine_here(scene, matrix, cpu_only=demand.cpu_only),
        demand,
        matrix,
        place=site.place,
        packages=packages_here(scene),
        indexes=Indexes(main=wishes.index_url, torch=wishes.torch_index),
        can_be_root=can_be_root(scene.host),
    )
    if isinstance(plan, Refused):
        ways = [f"\n  would do: {change}" for one in plan.refusals for way in one.ways if (change := _change(way))]
        raise NotThere(f"{plan.text}{''.join(ways)}\nNothing was changed.")
    return (plan, *plan.apart)


def _change(way: object) -> str:
    obstacles = getattr(way, "obstacles", ())
    return " and ".join(dict.fromkeys(one.change for one in obstacles if one.change))


def _demand(wishes: Wishes) -> Demand:
    try:
        return parse_demand(wishes.words, wishes.cuda)
    except NotADemand as error:
        raise click.UsageError(str(error)) from None
