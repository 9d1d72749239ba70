"""Solves for frameworks with companions (torchvision) and extras (xformers): an older torch where an extra needs it."""

from msgspec.structs import replace

from gpudoctor.facts.python import Packages
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Environment, Fit, Refusal, Wanted
from gpudoctor.plan.demand import COMPANIONS, Demand
from gpudoctor.plan.extras import Extras, extras_for, torch_for_extra
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.partial_fit import served_part
from gpudoctor.plan.proposals import command, pip_install
from gpudoctor.plan.solve import fit
from gpudoctor.plan.specifiers import agree


def fit_with_extras(machine: Machine, demand: Demand, matrix: Matrix) -> Fit:
    """The builds that fit the machine, each with the packages of the wish that belong to it; or what keeps them away.

    Where a package is made for an older torch only than would fit, that older one is proposed.
    """
    found = fit(machine, demand.wanted, matrix)
    if found.refusals or not demand.extras:
        return found
    extras, note = extras_for(demand, found, matrix), ""
    if extras.refusals:
        narrowed = with_an_older_torch(extras.refusals, machine, demand, matrix)
        if narrowed is None or narrowed[2]:
            return replace(found, environments=(), separate_because=None, alternatives=(), refusals=extras.refusals)
        note = older_torch_for(extras.refusals)
        _, found, _, extras = narrowed
    places = found.environments or (Environment(proposals=(), command=()),)
    return replace(
        found, environments=tuple(_beside(one, extras.of(number), machine, note) for number, one in enumerate(places))
    )


def with_companions_of(packages: Packages | None, demand: Demand, machine: Machine, matrix: Matrix) -> Demand:
    """The demand, and the installed torchvision and torchaudio with the torch that comes: each is made for one release.

    Where no build of torch has them they are left alone. conda's are conda's to change.
    """
    there = [one for name in COMPANIONS if packages and (one := packages.find(name)) and one.installer != "conda"]
    wider = replace(demand, wanted=tuple(_with_companions(one, tuple(p.name for p in there)) for one in demand.wanted))
    if wider == demand or served_part(machine, wider.wanted, matrix)[0].refusals:
        return demand
    return wider


def _with_companions(wanted: Wanted, names: tuple[str, ...]) -> Wanted:
    if wanted.framework != "torch":
        return wanted
    named = {name for name, _ in wanted.companions}
    return replace(wanted, companions=(*wanted.companions, *((name, "") for name in names if name not in named)))


def older_torch_for(refusals: tuple[Refusal, ...]) -> str:
    """Why not the newest torch that fits: what goes with it is not made for that."""
    names = ", ".join(sorted({one.framework for one in refusals}))
    return f"An older torch, or another CUDA, than would fit: {names} is made for these only."


def _beside(place: Environment, extras: Extras, machine: Machine, note: str) -> Environment:
    """The environment with its extras."""
    after = tuple((*pip_install(machine), *one.requirements, *one.options) for one in extras.after)
    return replace(
        place,
        command=command(place.proposals, machine, *extras.requirements),
        extras=tuple(one.requirement for one in extras.found if one.requirement),
        after=after,
        notes=(*extras.notes, *((note,) if note and extras.found else ())),
    )


def with_an_older_torch(
    refusals: tuple[Refusal, ...], machine: Machine, demand: Demand, matrix: Matrix
) -> tuple[Demand, Fit, tuple[str, ...], Extras] | None:
    """The newest torch for which the extras that were refused are made; None: there is none."""
    names = {one.framework for one in refusals}
    for bound in dict.fromkeys(bound for name in sorted(names) for bound in torch_for_extra(name, matrix)):
        wanted = tuple(_bounded(one, *bound) for one in demand.wanted)
        if not all(agree(one.specifier) for one in wanted):
            continue
        found, left_out = served_part(machine, wanted, matrix)
        extras = extras_for(demand, found, matrix)
        if not found.refusals and not extras.refusals:
            return replace(demand, wanted=wanted), found, left_out, extras
    return None


def _bounded(wanted: Wanted, bound: str, cuda: str | None) -> Wanted:
    if wanted.framework != "torch":
        return wanted
    specifier = ",".join(filter(None, (wanted.specifier, bound)))
    return replace(wanted, specifier=specifier, cuda=wanted.cuda or cuda)
