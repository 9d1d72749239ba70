"""All that keeps each build of a framework from a machine, remembered by halves: its packages, and its hardware."""

from functools import lru_cache

from msgspec.structs import replace

from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.builds import builds_of
from gpudoctor.plan.constraints import Obstacle, hardware_obstacles, package_obstacles
from gpudoctor.plan.machine import Machine

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
