"""Explains why nothing fits, or nothing newer: the constraint that fails, and the nearest change."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from msgspec.structs import replace

from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.frameworks import title_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import NotNewer, Partial, Refusal, Wanted, Way
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.constraints import (
    Constraint,
    Obstacle,
    fits,
    gpu_obstacles,
    hardware_obstacles,
    is_wanted_kind,
    obstacles,
    package_obstacles,
)
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.proposals import companion_versions, proposal
from gpudoctor.plan.specifiers import meets
from gpudoctor.plan.wheels import has_wheel

Obstacles = tuple[Obstacle, ...]


def every_obstacle(framework: str, machine: Machine, matrix: Matrix) -> tuple[Obstacles, ...]:
    """What keeps each build away, in the order of `builds_of`: machines that differ in one half share the other."""
    packages = _packages(framework, replace(machine, driver=None, capabilities=(), gpu_names=()), matrix)
    hardware = _hardware(framework, replace(machine, python=None, libc=None, libc_version=None, macos=None), matrix)
    return tuple((*one, *other) for one, other in zip(packages, hardware, strict=True))


@lru_cache(maxsize=64)
def _packages(framework: str, machine: Machine, matrix: Matrix) -> tuple[Obstacles, ...]:
    builds = builds_of(framework, machine.platform, matrix)
    return tuple(tuple(package_obstacles(build, machine, matrix)) for build in builds)


@lru_cache(maxsize=64)
def _hardware(framework: str, machine: Machine, matrix: Matrix) -> tuple[Obstacles, ...]:
    builds = builds_of(framework, machine.platform, matrix)
    return tuple(tuple(hardware_obstacles(build, machine, matrix)) for build in builds)


#: How much a change asks of the user; what nobody can change comes last.
COST: dict[Constraint, int] = {
    "version": 1,
    "cuda": 1,
    "companion": 1,
    "python": 1,
    "pins": 2,
    "driver": 3,
    "libc": 5,
    "macos": 5,
    "cudnn": 7,
    "gpu": 7,
    "platform": 9,
    "withdrawn": 20,
    "defect": 20,
    "index": 20,
    "unknown": 20,
}
FIXED = 20
#: An old release is a bad way out: the oldest costs as much as this.
AGE = 10
#: A release that must be mended is no first choice.
LINK = 2
#: Each CUDA major after this one asks for a newer driver.
FIRST_CUDA = 10
#: More ways out than these only confuse.
MOST_WAYS = 3

#: All that keeps a build from a machine and a wish.
Judge = Callable[[Build], list[Obstacle]]
#: A build, and all that keeps it away.
Candidate = tuple[list[Obstacle], Build]


def judge(wanted: Wanted, machine: Machine, matrix: Matrix) -> Judge:
    """The function that lists what keeps a build from being proposed."""

    def judged(build: Build) -> list[Obstacle]:
        return [*wish_obstacles(build, wanted, machine, matrix), *obstacles(build, machine, matrix)]

    return judged


def wish_obstacles(build: Build, wanted: Wanted, machine: Machine, matrix: Matrix) -> Iterable[Obstacle]:
    """Where a build is not what was asked for."""
    if not _is_asked_for(build, wanted):
        text = f"{wanted.framework}{wanted.specifier} is asked for"
        yield Obstacle(constraint="version", text=text, change=f"{wanted.framework}=={build.version}")
    if wanted.cuda is not None and not _is_for_cuda(build, wanted.cuda):
        text = f"CUDA {wanted.cuda} is asked for, and it is built for {f'CUDA {build.cuda}' if build.cuda else 'none'}"
        yield Obstacle(constraint="cuda", text=text, change=f"CUDA {build.cuda}" if build.cuda else None)
    for name, specifier in wanted.companions:
        made = companion_versions(build, name, matrix)
        if made and machine.python in build.pythons and not has_wheel(name, machine, matrix, made[0]):
            text = f"{name} {made[0]} has no wheel for Python {machine.python} on {machine.platform}"
            yield Obstacle(constraint="companion", text=text, change=f"a wish without {name}")
        elif not made:
            text = f"no {name} is known to be made for it"
            yield Obstacle(constraint="companion", text=text, change=f"a wish without {name}")
        elif not meets(made[0], specifier):
            text = f"{name}{specifier} is asked for, and {name} {made[0]} belongs to it"
            yield Obstacle(constraint="companion", text=text, change=f"{name}=={made[0]}")


def _is_asked_for(build: Build, wanted: Wanted) -> bool:
    version = f"{build.version}+{build.variant}" if build.framework == "torch" else build.version
    return meets(version, wanted.specifier)


def _is_for_cuda(build: Build, wanted: str) -> bool:
    """Whether a build is for the CUDA asked for; by the major alone where its libraries come as a range."""
    if build.cuda is None:
        return False
    whole = "." in wanted and build.framework == "torch"
    return str(build.cuda) == wanted if whole else str(build.cuda.major) == wanted.partition(".")[0]


def cost(found: Sequence[Obstacle]) -> tuple[int, int]:
    """How far a build is from fitting: first the constraints that fail, each once, then how many obstacles."""
    return _cost(tuple([obstacle.constraint for obstacle in found])), len(found)


@lru_cache(maxsize=1024)
def _cost(constraints: tuple[Constraint, ...]) -> int:
    return sum(COST[one] for one in set(constraints))


def distance(found: Sequence[Obstacle], build: Build, age: float) -> float:
    """How much a way out asks: its changes, the age of what it leads to (0 newest, 1 oldest), the driver's step."""
    step = build.cuda.major - FIRST_CUDA if build.cuda and any(one.constraint == "driver" for one in found) else 0
    return cost(found)[0] + AGE * age + step + (LINK if build.links else 0)


def not_newer(build: Build, machine: Machine, judged: Judge, matrix: Matrix) -> NotNewer | None:
    """What keeps the next newer release from being proposed; None: the build is of the newest one known."""
    own = package_version(build.version)
    newer = [
        one
        for one in builds_of(build.framework, machine.platform, matrix)
        if is_wanted_kind(one, machine)
        and own is not None
        and (version := package_version(one.version)) is not None
        and version > own
    ]
    # Newest first: the last is of the next newer release.
    nearest = [(found, one) for one in newer if one.version == newer[-1].version and (found := judged(one))]
    if not nearest:
        return None
    found, one = min(nearest, key=lambda pair: cost(pair[0]))
    return NotNewer(build=one.label, obstacles=(*found, *_of_same_kind(build, one, nearest)))


def _of_same_kind(build: Build, named: Build, newer: Sequence[Candidate]) -> Iterable[Obstacle]:
    """Why it is not the newer release built as this one is, where only that it is not to be had keeps it away."""
    for found, one in newer:
        if one.variant == build.variant and one.label != named.label and {o.constraint for o in found} == {"index"}:
            yield Obstacle(constraint="index", text=f"{one.label} would fit, but {found[0].text}")


def refusal(wanted: Wanted, machine: Machine, matrix: Matrix) -> Refusal:
    """The refusal of a framework of which no build fits."""
    builds = builds_of(wanted.framework, machine.platform, matrix)
    candidates = [
        (found, build)
        for build, there in zip(builds, every_obstacle(wanted.framework, machine, matrix), strict=True)
        if is_wanted_kind(build, machine)
        and (found := [*wish_obstacles(build, wanted, machine, matrix), *(one for one in there if not one.mended)])
    ]
    candidates = [pair for pair in candidates if not pair[1].is_hearsay] or candidates
    name = title_of(wanted.framework)
    kind = "GPU build" if machine.uses_cuda else "CPU build"
    if not candidates:
        text = f"The matrix knows no {kind} of {name}."
        return Refusal(framework=wanted.framework, constraint="unknown", text=text)
    asked = [(found, build) for found, build in candidates if _is_asked_for(build, wanted)]
    # A patch release of what was asked for is nearer than any other: it has the same interface.
    series = {_minor(build) for _, build in asked}
    ways = _ways([one for one in candidates if _minor(one[1]) in series] or candidates, candidates)
    # Where there is a build for this platform, its own obstacle is the reason, not that another is for another.
    here = [pair for pair in asked if machine.platform in pair[1].platforms]
    found, nearest = _by_distance(here or asked or candidates)[0]
    fits = "is known to fit" if found[0].constraint == "unknown" else "fits"
    text = f"No {kind} of {name} {fits}. The nearest, {nearest.label}: {found[0].text}."
    if not asked:
        newest = candidates[0][1].version
        text = f"The matrix knows no {kind} {wanted.framework}{wanted.specifier}; the newest is {newest}."
    return Refusal(
        framework=wanted.framework,
        constraint=found[0].constraint if asked else "version",
        text=text,
        ways=ways,
        partly=_partly(wanted, machine, matrix),
    )


def _by_distance(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates, those that ask for the smallest changes first."""
    releases = list(dict.fromkeys(build.version for _, build in candidates))
    ages = {version: index / len(releases) for index, version in enumerate(releases)}
    return sorted(candidates, key=lambda pair: distance(pair[0], pair[1], ages[pair[1].version]))


def _minor(build: Build) -> tuple[str, ...]:
    return tuple(build.version.split(".")[:2])


def _ways(near: list[Candidate], candidates: list[Candidate]) -> tuple[Way, ...]:
    """The nearest changes, one of each kind: the easiest first, and before all those to a build of `near`."""
    kept: list[tuple[set[Constraint], Way]] = []
    nearest = [one for one in _by_distance(near) if {o.constraint for o in one[0]} == {"version"}]
    every = (*nearest, *_by_distance(candidates))
    possible = [one for one in every if cost(one[0])[0] < FIXED and all(o.change is not None for o in one[0])]
    for found, build in possible or every[:1]:
        kinds = {obstacle.constraint for obstacle in found}
        # The changes of another way and more are no way of their own.
        if not any(other <= kinds for other, _ in kept):
            kept.append((kinds, Way(obstacles=tuple(found), build=build.label)))
    return tuple(way for _, way in kept[:MOST_WAYS])


def _partly(wanted: Wanted, machine: Machine, matrix: Matrix) -> tuple[Partial, ...]:
    """Builds that serve as many of several GPUs as any, the newest of each kind."""
    everything = range(len(machine.capabilities))
    if len(set(machine.capabilities)) < 2 or not machine.uses_cuda:
        return ()
    without = machine.with_only(())
    newest: dict[frozenset[int], Build] = {}
    builds = builds_of(wanted.framework, machine.platform, matrix)
    for build in sorted(builds, key=lambda one: one.is_hearsay):
        asked = not any(wish_obstacles(build, wanted, machine, matrix))
        if build.processor == "cuda" and asked and fits(build, without, matrix):
            served = frozenset(i for i in everything if not any(gpu_obstacles(build, machine, i, matrix)))
            newest.setdefault(served, build)
    largest = [served for served in newest if served and not any(served < other for other in newest)]
    return tuple(_partial(newest[served], served, wanted, machine, matrix) for served in largest)


def _partial(build: Build, served: frozenset[int], wanted: Wanted, machine: Machine, matrix: Matrix) -> Partial:
    reduced = machine.with_only(tuple(sorted(served)))
    return Partial(
        build=build.label,
        serves=tuple(machine.label(index) for index in sorted(served)),
        leaves_out=tuple(machine.label(i) for i in range(len(machine.capabilities)) if i not in served),
        command=proposal(build, wanted, reduced, matrix).command,
    )


def driver_refusal(machine: Machine, matrix: Matrix) -> Refusal | None:
    """A driver that does not serve one of the GPUs: then no build helps. None: it does, or that is not known."""
    if machine.driver is None or not machine.uses_cuda:
        return None
    row = matrix.driver_branch(machine.driver, machine.driver_os)
    branch = row.branch if row is not None else machine.driver.branch
    for index, gpu in enumerate(machine.capabilities):
        first, last = matrix.first_driver_branch(gpu), matrix.last_driver_branch(gpu)
        if first is not None and branch < first:
            change = f"driver branch {first} or newer"
        elif last is not None and branch > last:
            change = f"driver branch {last}, the last that serves it"
        else:
            continue
        text = f"Driver {machine.driver} does not serve {machine.label(index)}."
        obstacle = Obstacle(constraint="driver", text=text.rstrip("."), change=change)
        return Refusal(framework="driver", constraint="driver", text=text, ways=(Way(obstacles=(obstacle,)),))
    return None
