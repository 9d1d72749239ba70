"""Frameworks that other packages pull in as dependencies, seen in an installer's dry run.

A package asks for any torch, or for one release of it; the installer takes the newest, whatever the driver. Its answer
says which release is wanted; the build of it, or the next older that fits, is chosen as for any other wish.
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from gpudoctor.facts.python import Package, Packages
from gpudoctor.facts.scene import Scene
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.demand import COMPANIONS, FRAMEWORKS, Demand, demand_of, named
from gpudoctor.plan.installed_companions import unfit
from gpudoctor.plan.machine import Machine
from gpudoctor.sources.package_names import normalise


def frameworks_of(installs: Iterable[str]) -> dict[str, str]:
    """The frameworks, and what is made for one release of torch, among "name==version" words: name to release."""
    pairs = (text.partition("==")[::2] for text in installs)
    found = {normalise(name): version.partition("+")[0] for name, version in pairs if version}
    return {name: version for name, version in found.items() if name in (*FRAMEWORKS, *COMPANIONS)}


def brought_along(demand: Demand, installs: Iterable[str]) -> dict[str, str]:
    """Those of them that nobody asked for by name; none where a file settles which are taken."""
    return {} if demand.settled else {n: v for n, v in frameworks_of(installs).items() if n not in named(demand)}


def narrowed(demand: Demand, releases: Mapping[str, str]) -> Iterator[Demand]:
    """The demand with these frameworks at the releases that the installer took, then at any older one."""
    for operator in ("==", "<="):
        asked = named(demand)
        for name, version in releases.items():
            # torchvision goes with its torch: that is chosen.
            bound = f"{operator}{version}" if name in FRAMEWORKS else ""
            asked[name] = ",".join(dict.fromkeys(filter(None, (asked.get(name, ""), bound))))
        cuda = next((one.cuda for one in demand.wanted if one.cuda), None)
        wider = demand_of(asked, demand.others, "cpu" if demand.cpu_only else cuda)
        yield replace(wider, files=demand.files, settled=demand.settled, hashed=demand.hashed)


def unpinned(demand: Demand) -> Demand:
    """The demand with every package left to the installer."""
    words = tuple(f"{name}{specifier}" for name, specifier in named(demand).items())
    return replace(demand, wanted=(), extras=(), others=(*words, *demand.others))


def cannot_run(installs: Iterable[str], machine: Machine, matrix: Matrix) -> tuple[str, ...]:
    """Why builds that are installed as they come do not run on the GPUs here; empty where they do, or none is known."""
    if machine.cpu_only or not machine.capabilities:
        return ()
    pairs = (text.partition("==")[::2] for text in installs)
    packages = Packages(installed=tuple(Package(name=normalise(name), version=version) for name, version in pairs))
    found = unfit(Scene(packages=packages), machine, matrix)
    return tuple(f"{build.label}: {'; '.join(one.text for one in obstacles)}" for build, obstacles in found)
