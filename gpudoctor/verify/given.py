"""Turns a snapshot into the machine and environment that commands are judged for."""

from msgspec.structs import replace

from gpudoctor.facts.python import Frameworks, Package, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.this_machine import machine_here, scene_of, with_amd_gpus
from gpudoctor.verify.verdict import Given


def given_of(snapshot: Snapshot, matrix: Matrix) -> Given:
    """What a snapshot (of this machine, of another, or stated in a ticket) says; what was not seen stays None."""
    scene = scene_of(snapshot)
    host = scene.host if isinstance(scene.host, System) else System()
    target = scene.target
    given = Given(
        machine=with_amd_gpus(machine_here(scene, matrix), scene, matrix),
        packages=_packages(snapshot),
        distribution=host.distribution,
        distribution_version=host.distribution_version,
    )
    if target is None:
        return given
    other = target.pip_on_path_interpreter
    own = {_folder(path) for path in (target.executable, f"{target.prefix}/bin/python", f"{target.prefix}\\python")}
    return replace(
        given,
        python=target.executable,
        environment=target.environment,
        externally_managed=target.externally_managed,
        other_pip=other if other and _folder(other) not in own and "shims" not in other else None,
    )


def _packages(snapshot: Snapshot) -> Packages | None:
    """What is installed, with the frameworks that are stated beside an incomplete list, or where there is none."""
    seen = snapshot.packages if isinstance(snapshot.packages, Packages) else None
    if seen is not None and not seen.excerpt:
        return seen
    there = seen or Packages(excerpt=True)
    found = snapshot.frameworks.found if isinstance(snapshot.frameworks, Frameworks) else ()
    stated = ((one.dist or one.name, one.version) for one in found)
    more = [Package(name=name, version=version) for name, version in stated if version and not there.find(name)]
    return replace(there, installed=(*there.installed, *more)) if more else seen


def _folder(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[0].lower()
