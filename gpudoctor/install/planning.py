"""Makes install plans from what the user asks for."""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from gpudoctor.errors import Failure, NothingChanged
from gpudoctor.facts.base import Fact
from gpudoctor.facts.plan import InstallPlan
from gpudoctor.facts.typed_json import convert_to
from gpudoctor.install.requested import asked_for
from gpudoctor.install.target import Site
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.demand import Demand
from gpudoctor.plan.indexes import Indexes
from gpudoctor.plan.install import Refused, plan_install
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.this_machine import can_be_root, machine_here, packages_here, scene_of, with_amd_gpus
from gpudoctor.redact.credentials import without_credentials
from gpudoctor.report.output import say, width
from gpudoctor.report.plan_text import refusals_text


class Wishes(Fact, frozen=True, kw_only=True):
    """What was asked for, as it was written."""

    words: tuple[str, ...] = ()
    cuda: str | None = None
    requirements: str | None = None
    from_pyproject: bool = False
    index_url: str | None = None
    torch_index: str | None = None
    #: What became of it, where the installer was asked.
    demand: Demand | None = None


def with_package_index_only(wishes: Wishes, site: Site, plans: tuple[InstallPlan, ...]) -> tuple[InstallPlan, ...]:
    """The plans for where PyTorch's own index does not answer; empty where these need none of it, or none is left."""
    before = {one.framework: one for plan in plans for one in plan.choices}
    if not any(one.index_url for one in before.values()):
        return ()
    try:
        first, *others = plan_for(wishes, site, package_index_only=True)
    except Failure:
        return ()
    taken = (one for plan in (first, *others) for one in plan.choices if one.build != before[one.framework].build)
    differs = ", ".join(f"{one.build} in place of {before[one.framework].build}" for one in taken)
    note = (
        "PyTorch's own index could not be reached, so this is what the package index has: "
        f"{differs or 'the same builds'}."
    )
    return (replace(first, notes=(note, *first.notes)), *others)


def plan_for(wishes: Wishes, site: Site, *, package_index_only: bool = False) -> tuple[InstallPlan, ...]:
    """One plan for each environment. Raises Failure."""
    machine = replace(machine_for(wishes, site), package_index_only=package_index_only)
    return environments_of(planner(wishes, site, machine)(wishes.demand or demand_of_all(wishes, machine)))


def environments_of(plan: InstallPlan | Refused) -> tuple[InstallPlan, ...]:
    """The plan of each environment. Raises Failure where nothing fits."""
    if isinstance(plan, Refused):
        raise NothingChanged(f"{refusals_text(plan.refusals, width()).strip()}\n\nNothing was changed.")
    return (plan, *plan.apart)


def machine_for(wishes: Wishes, site: Site) -> Machine:
    """What builds must fit."""
    scene, matrix = scene_of(site.snapshot), load_matrix()
    machine = machine_here(scene, matrix, cpu_only=wishes.cuda == "cpu")
    if wishes.cuda is None:
        return with_amd_gpus(machine, scene, matrix)
    if wishes.cuda != "cpu":
        # An image is built where no GPU is, for machines that have one.
        machine = replace(machine, cpu_only=False)
    return machine


def demand_of_all(wishes: Wishes, machine: Machine) -> Demand:
    """Everything that is asked for; says what is to be known of it. Raises Failure."""
    asked = asked_for(
        wishes.words,
        wishes.cuda,
        wishes.requirements,
        machine,
        from_pyproject=wishes.from_pyproject,
        index_url=wishes.index_url,
    )
    for note in asked.notes:
        say(note)
    return asked.demand


def planner(wishes: Wishes, site: Site, machine: Machine) -> Callable[[Demand], InstallPlan | Refused]:
    """Makes a demand a plan for this place."""
    scene, matrix = scene_of(site.snapshot), load_matrix()
    return lambda demand: plan_install(
        machine,
        demand,
        matrix,
        place=site.place,
        packages=packages_here(scene),
        indexes=Indexes(main=wishes.index_url, torch=wishes.torch_index),
        can_be_root=can_be_root(scene.host),
    )


def shown(plan: InstallPlan) -> InstallPlan:
    """The plan as it may be shown: addresses of indexes without credentials."""
    plain: dict[str, object] = _without(msgspec.to_builtins(plan))
    return convert_to(plain, InstallPlan)


def _without(value: Any) -> Any:
    if isinstance(value, str):
        return without_credentials(value) if "://" in value else value
    if isinstance(value, dict):
        return {key: _without(item) for key, item in value.items()}
    return [_without(item) for item in value] if isinstance(value, list | tuple) else value
