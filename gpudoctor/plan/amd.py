"""Which ROCm builds fit a machine with AMD GPUs: those with code for each of them."""

from collections.abc import Iterator

from msgspec.structs import replace

from gpudoctor.knowledge.frameworks import title_of
from gpudoctor.knowledge.matrix.amd import family_of, has_code, rocm_builds
from gpudoctor.knowledge.matrix.offer_types import RocmBuild
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Environment, Fit, NotNewer, Proposal, Reason, Refusal, Wanted, Way
from gpudoctor.plan.compatibility import needs_numpy1
from gpudoctor.plan.constraints import Obstacle, span
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.off_index import for_amd
from gpudoctor.plan.proposals import TORCH_INDEX, command
from gpudoctor.plan.specifiers import meets

#: Of the wheels for ROCm.
PLATFORM = "linux-x86_64"
#: Builds beside the one that is proposed.
MOST_ALTERNATIVES = 3
DRIVER = "The kernel needs AMD's driver (amdgpu); which of its releases this build needs is not known here."


def fit_amd(machine: Machine, wish: tuple[Wanted, ...], matrix: Matrix) -> Fit:
    """The builds for ROCm that fit, each framework in an environment of its own; or what keeps every one away."""
    environments, alternatives, refusals = [], [], []
    for wanted in wish:
        found = proposals_for_amd(machine, wanted, matrix)
        if not found:
            refusals.append(_refusal(wanted, machine, matrix))
            continue
        first, *others = found
        environments.append(Environment(proposals=(first,), command=first.command))
        alternatives += others[:MOST_ALTERNATIVES]
    apart = "builds for ROCm are not known to share one" if len(environments) > 1 else None
    return Fit(
        machine=machine,
        environments=tuple(environments),
        separate_because=apart,
        alternatives=tuple(alternatives),
        refusals=tuple(refusals),
        not_judged=tuple(one for one in machine.not_judged if one != "GPU"),
    )


def proposals_for_amd(machine: Machine, wanted: Wanted, matrix: Matrix) -> tuple[Proposal, ...]:
    """The builds of one framework that fit, newest first."""
    rows = (row for row in rocm_builds(wanted.framework, matrix) if not any(against(row, wanted, machine, matrix)))
    return tuple(_proposal(row, wanted, machine, matrix) for row in rows)


def against(row: RocmBuild, wanted: Wanted, machine: Machine, matrix: Matrix) -> Iterator[Obstacle]:
    """What keeps a build from running on every GPU of the machine, or from being what is wanted."""
    if not meets(row.version, wanted.specifier):
        text = f"{wanted.framework}{wanted.specifier} is asked for"
        yield Obstacle(constraint="version", text=text, change=f"{wanted.framework}=={row.version}")
    for name, specifier in wanted.companions:
        if row.framework == "torch" and not _companions(row, name, specifier, matrix):
            text = f"no {name}{specifier} built for it is known"
            yield Obstacle(constraint="companion", text=text, change=f"a wish without {name}")
    if machine.platform not in (None, PLATFORM):
        yield Obstacle(constraint="platform", text=f"it has no wheel for {machine.platform}", change=PLATFORM)
    if machine.python is not None and machine.python not in row.pythons:
        text = f"it has no wheel for Python {machine.python}"
        yield Obstacle(constraint="python", text=text, change=f"Python {span(row.pythons)}")
    for index, gfx in enumerate(machine.gfx):
        if has_code(row, gfx) is False:
            brought = gfx in (row.archs or ())
            what = f"the libraries of ROCm {row.rocm}, which it brings, have" if brought else "it has"
            yield Obstacle(constraint="gpu", text=f"{what} no code for {machine.label(index)}")


def _companions(row: RocmBuild, name: str, specifier: str, matrix: Matrix) -> tuple[str, ...]:
    """The releases of torchvision or torchaudio that are built for a build of torch, newest first.

    One has the builds of the torch that it came with: torchaudio 2.11.0 those of torch 2.11.0, also for newer ones.
    """
    listed: tuple[str, ...] = getattr(matrix.torch_companions(row.version), name, ())
    first = {torch: matrix.torch_companions(torch) for one in listed for torch in matrix.torch_for(name, one)}
    built = {one.version for one in rocm_builds("torch", matrix) if one.variant == row.variant}
    came_with = {getattr(pair, name)[0]: torch for torch, pair in first.items()}
    return tuple(one for one in reversed(listed) if came_with.get(one) in built and meets(one, specifier))


def _refusal(wanted: Wanted, machine: Machine, matrix: Matrix) -> Refusal:
    """Why nothing fits, the build that is nearest to it, and what AMD itself offers."""
    title, gpus = title_of(wanted.framework), ", ".join(machine.label(one) for one in range(len(machine.gfx)))
    judged = [(row, tuple(against(row, wanted, machine, matrix))) for row in rocm_builds(wanted.framework, matrix)]
    # A change of version, Python or system can be made; another GPU cannot.
    ways = [
        Way(obstacles=obstacles, build=label_of(row))
        for row, obstacles in judged
        if all(one.change is not None for one in obstacles)
    ]
    nearest = min(judged, key=lambda one: len(one[1]), default=None)
    text = f"No build of {title} for ROCm is known that fits {gpus}."
    if nearest is not None:
        text += f" The nearest, {label_of(nearest[0])}: {'; '.join(one.text for one in nearest[1])}."
    offered = for_amd(wanted.framework, machine.platform or PLATFORM, matrix, machine.gfx)
    ways.sort(key=lambda way: len(way.obstacles))
    return Refusal(
        framework=wanted.framework,
        constraint=nearest[1][0].constraint if nearest is not None else "platform",
        text=text,
        ways=tuple(ways[:1]),
        elsewhere=tuple(filter(None, (_as_its_family(wanted, machine, matrix), offered))),
    )


def _as_its_family(wanted: Wanted, machine: Machine, matrix: Matrix) -> str | None:
    """The build whose code the GPUs run when they are called as another model of their family; None: there is none."""
    families = {family_of(gfx, matrix) for gfx in machine.gfx}
    family = families.pop() if len(families) == 1 else None
    if family is None:
        return None
    built = replace(machine, gfx=(family.built,) * len(machine.gfx), platform=machine.platform or PLATFORM)
    found = proposals_for_amd(built, wanted, matrix)
    if not found or family.built in machine.gfx:
        return None
    return (
        f"With HSA_OVERRIDE_GFX_VERSION={family.override} it runs the code for {family.built}, a model of its family, "
        f"that {found[0].build} has; AMD does not support this: {' '.join(found[0].command)}"
    )


def _not_newer(row: RocmBuild, wanted: Wanted, matrix: Matrix) -> NotNewer | None:
    """A release that the tables have for NVIDIA's GPUs only."""
    newest, here = matrix.newest(row.framework), rocm_builds(row.framework, matrix)[0]
    if newest is None or row.version != here.version or newest == row.version or not meets(newest, wanted.specifier):
        return None
    unknown = Obstacle(constraint="unknown", text="no build of it for ROCm is known here")
    return NotNewer(build=f"{row.framework} {newest}", obstacles=(unknown,))


def label_of(row: RocmBuild) -> str:
    """As people write it: torch 2.13.0+rocm7.2."""
    if row.framework == "torch":
        return f"torch {row.version}+{row.variant}"
    return f"{row.framework}[{row.variant}] {row.version}"


def _proposal(row: RocmBuild, wanted: Wanted, machine: Machine, matrix: Matrix) -> Proposal:
    """A build that fits, with the torchvision and torchaudio of its release."""
    is_torch = row.framework == "torch"
    requirements = [f"torch=={row.version}" if is_torch else f"{row.framework}[{row.variant}]=={row.version}"]
    requirements += [f"{name}=={_companions(row, name, asked, matrix)[0]}" for name, asked in wanted.companions]
    bound = needs_numpy1(row, machine, matrix)
    requirements += [f"numpy{bound}"] if bound else []
    wheels = f"a wheel for Python {machine.python}" if machine.python else f"wheels for Python {span(row.pythons)}"
    why = [Reason(constraint="python", text=f"it has {wheels} on {PLATFORM}")]
    labels = ", ".join(machine.label(index) for index in range(len(machine.gfx)))
    limits = [DRIVER] if is_torch else ["ROCm 7 must be installed on the system: the package brings none of it."]
    if row.archs is None:
        limits.append(f"Whether it has code for {labels} is not known here.")
    else:
        why.append(Reason(constraint="gpu", text=f"it has code for {labels}"))
    made = Proposal(
        framework=row.framework,
        build=label_of(row),
        version=row.version,
        variant=row.variant,
        requirements=tuple(requirements),
        index_url=f"{TORCH_INDEX}{row.index_suffix}" if row.index_suffix else None,
        why=tuple(why),
        limits=tuple(limits),
        why_not_newer=_not_newer(row, wanted, matrix),
        source=row.source,
        checked=row.checked,
        confidence=row.confidence,
    )
    return replace(made, command=command((made,), machine))
