"""Makes install plans: the builds that fit, in one environment or several, and the commands. Data only."""

from msgspec.structs import replace

from gpudoctor.facts.base import Fact
from gpudoctor.facts.plan import Choice, InstallPlan, Place, Step
from gpudoctor.facts.python import Packages
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.alternatives import alternatives_of
from gpudoctor.plan.answer import Fit, Proposal, Refusal
from gpudoctor.plan.demand import Demand
from gpudoctor.plan.extras import Extras, extras_for
from gpudoctor.plan.indexes import Indexes
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.nvidia_libraries import link_steps, site_packages_of
from gpudoctor.plan.pairing import older_torch_for, with_an_older_torch, with_companions_of
from gpudoctor.plan.partial_fit import served_part
from gpudoctor.plan.proposals import must_be_named, named
from gpudoctor.plan.removals import clash_with_present, removals, required_by_name
from gpudoctor.plan.steps import install_step, make_steps, remove_steps


class Refused(Fact, frozen=True, kw_only=True):
    """No plan: what was asked for cannot be had here. Each refusal names its constraint and what would do."""

    refusals: tuple[Refusal, ...]

    @property
    def text(self) -> str:
        """All refusals in words."""
        return " ".join(one.text for one in self.refusals)


def plan_install(
    machine: Machine,
    demand: Demand,
    matrix: Matrix,
    *,
    place: Place,
    packages: Packages | None = None,
    indexes: Indexes | None = None,
    can_be_root: bool | None = None,
) -> InstallPlan | Refused:
    """The plan that installs what is wanted: the newest builds that fit the machine and each other.

    `packages`: what is installed in `place` already. What cannot share the environment gets one of its own (`apart`).
    `can_be_root` False: changes of the system come last among the alternatives.
    """
    seen = machine
    # Who names a CUDA means a GPU, also where none is seen: an image is built, a login node is used.
    for_gpu = any(one.cuda for one in demand.wanted)
    cpu_only = demand.cpu_only or (machine.cpu_only and not for_gpu)
    if machine.gfx and (for_gpu or cpu_only):
        machine = replace(machine, gfx=(), gpu_names=())
    machine = replace(machine, python=place.version or machine.python, cpu_only=cpu_only)
    present = None if place.is_new else packages
    demand = with_companions_of(present, demand, machine, matrix)
    found, left_out = served_part(machine, demand.wanted, matrix)
    if found.refusals and (demand.wanted or demand.extras):
        return Refused(refusals=tuple(map(_or_the_cpu, found.refusals)) if machine.gfx else found.refusals)
    extras, kept_back = extras_for(demand, found, matrix), ""
    if extras.refusals:
        narrowed = with_an_older_torch(extras.refusals, machine, demand, matrix)
        if narrowed is None:
            return Refused(refusals=extras.refusals)
        kept_back = older_torch_for(extras.refusals)
        demand, found, left_out, extras = narrowed
    clash = clash_with_present(found.environments[0].proposals if found.environments else (), present)
    if clash is not None:
        return Refused(refusals=(clash,))
    indexes = indexes or Indexes()
    plans = [
        _plan(proposals, _own_place(place, number, proposals), found, extras.of(number), demand, indexes, present)
        for number, proposals in enumerate([one.proposals for one in found.environments] or [()])
    ]
    return replace(
        plans[0],
        apart=tuple(plans[1:]),
        separate_because=found.separate_because,
        leaves_out=left_out,
        alternatives=alternatives_of(found, demand, machine, matrix, can_be_root=can_be_root),
        notes=(*plans[0].notes, *_notes(found, seen, demand, left_out, kept_back)),
    )


def _or_the_cpu(refusal: Refusal) -> Refusal:
    """AMD's GPUs are mostly the graphics of a processor: the build for the processor is a way, too."""
    return replace(refusal, elsewhere=(*refusal.elsewhere, "the build for the processor: --cuda cpu"))


def _own_place(place: Place, number: int, proposals: tuple[Proposal, ...]) -> Place:
    """The first environment is the one that was named; others are made beside it, called after their framework."""
    if number == 0:
        return place
    name = "-".join(one.framework for one in proposals)
    if place.conda is not None:
        return replace(place, conda=f"{place.conda}-{name}")
    return replace(place, venv=f"{place.venv or 'gpu-env'}-{name}")


def _plan(
    proposals: tuple[Proposal, ...],
    place: Place,
    found: Fit,
    extras: Extras,
    demand: Demand,
    indexes: Indexes,
    packages: Packages | None,
) -> InstallPlan:
    is_first = not demand.wanted or proposals == found.environments[0].proposals
    others = demand.others if is_first else ()
    proposals = tuple(required_by_name(one, (*extras.requirements, *others)) for one in proposals)
    requirements, main, beside = _asked(proposals, (*extras.requirements, *others), indexes, found.machine.platform)
    removed = () if place.is_new else removals(proposals, packages)
    files = demand.files if is_first else ()
    if files:
        requirements = tuple(map(_as_files_name_it, requirements))
    options = (*(("--require-hashes",) if demand.hashed else ()), *(word for path in files for word in ("-r", path)))
    install: list[Step] = [install_step(place, requirements, main, beside, *options, first=main != indexes.main)]
    # What is compiled is not on the index of torch; torch itself is there by then.
    install += [install_step(place, after.requirements, indexes.main, (), *after.options) for after in extras.after]
    install += [step for one in proposals for step in link_steps(one.links, site_packages_of(place))]
    return InstallPlan(
        place=place,
        choices=tuple(_choice(one, indexes) for one in proposals),
        requirements=requirements,
        index_url=main,
        extra_index_urls=beside,
        files=files,
        make=make_steps(place),
        remove=remove_steps(place, removed),
        removed=removed,
        install=tuple(install),
        notes=extras.notes,
    )


def _asked(
    proposals: tuple[Proposal, ...], others: tuple[str, ...], indexes: Indexes, platform: str | None
) -> tuple[tuple[str, ...], str | None, tuple[str, ...]]:
    """Requirements, the index in place of the configured one, and those beside it.

    Torch is named with its build. Alone it comes from the index of that; beside others, that index is added.
    """
    wanted = [text for one in proposals for text in one.requirements]
    torch = next((one for one in proposals if one.index_url), None)
    index = indexes.of_build(torch.index_url) if torch is not None else None
    if torch is None or index is None:
        return tuple(dict.fromkeys((*wanted, *others))), indexes.main, ()
    wanted = named(wanted, torch, platform)
    if indexes.main is None and not others and not must_be_named(proposals):
        return tuple(dict.fromkeys(wanted)), index, ()
    return tuple(dict.fromkeys((*wanted, *others))), indexes.main, (index,)


def _as_files_name_it(requirement: str) -> str:
    """tensorflow-cpu owns the files of tensorflow, which is what a file of requirements, or a package in it, names."""
    return requirement.replace("tensorflow-cpu==", "tensorflow==", 1)


def _choice(one: Proposal, indexes: Indexes) -> Choice:
    return Choice(
        framework=one.framework,
        build=one.build,
        version=one.version,
        variant=one.variant,
        cuda=one.cuda,
        why=tuple(reason.text for reason in one.why),
        why_not_newer=one.why_not_newer.words if one.why_not_newer else None,
        limits=one.limits,
        requirements=one.requirements,
        index_url=indexes.of_build(one.index_url),
        links=one.links,
        source=one.source,
        checked=one.checked,
    )


def _notes(found: Fit, seen: Machine, demand: Demand, left_out: tuple[str, ...], kept_back: str) -> tuple[str, ...]:
    notes = []
    if not found.environments:
        return ()
    if found.machine.cpu_only and not demand.cpu_only and found.machine.os != "macos":
        notes.append(
            "No NVIDIA GPU is seen here, so these are builds for the CPU. For a GPU that comes later (an image that is "
            "built, a login node) name the CUDA: --cuda 12.6."
        )
    if seen.cpu_only and not found.machine.cpu_only:
        notes.append("No NVIDIA GPU is seen here: that the driver and the GPU suit these builds was not judged.")
    if kept_back:
        notes.append(kept_back)
    if left_out:
        notes.append(f"No build serves every GPU: {', '.join(left_out)} cannot be used by what is installed here.")
    if found.not_judged:
        notes.append(f"Not judged, because not known: {', '.join(found.not_judged)}.")
    return tuple(notes)
