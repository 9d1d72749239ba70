"""Turns a snapshot into what the solver needs: this machine, its environment and packages."""

from msgspec.structs import replace

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.plan import Manager, Place
from gpudoctor.facts.python import Packages
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.matrix.amd import gfx_of_gpu
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.places import NEW_ENVIRONMENT, conda_tool, nvidia_gpus, wheel_platform

#: Groups whose members may become root.
ADMINISTRATORS = frozenset({"sudo", "wheel", "admin", "root"})


def scene_of(snapshot: Snapshot) -> Scene:
    """What recipes ask of a snapshot."""
    return Scene(
        host=snapshot.host,
        container=snapshot.container,
        gpus=snapshot.gpus,
        driver=snapshot.driver,
        interpreter=snapshot.interpreter,
        packages=snapshot.packages,
    )


def machine_here(scene: Scene, matrix: Matrix, *, cpu_only: bool = False) -> Machine:
    """What builds must fit on this machine.

    A machine that was looked at and has no NVIDIA GPU gets builds for the CPU. What was not seen rules nothing out.
    """
    host = scene.host if isinstance(scene.host, System) else System()
    known = [(gpu, capability) for gpu in nvidia_gpus(scene) if (capability := matrix.capability(gpu)) is not None]
    without = not isinstance(scene.gpus, Gap) and not nvidia_gpus(scene)
    return Machine(
        driver=scene.driver.release if isinstance(scene.driver, Driver) else None,
        capabilities=tuple(capability for _, capability in known),
        gpu_names=tuple(gpu.label for gpu, _ in known),
        python=scene.python_minor,
        platform=wheel_platform(scene.host),
        libc=host.libc,
        libc_version=LibraryVersion.parse(host.libc_version),
        macos=LibraryVersion.parse(host.distribution_version) if host.os == "macos" else None,
        cpu_only=cpu_only or (without and host.os != "macos"),
        wsl=isinstance(scene.container, Container) and scene.container.wsl is not None,
        tegra=host.tegra,
    )


def with_amd_gpus(machine: Machine, scene: Scene, matrix: Matrix) -> Machine:
    """The machine with those of its AMD GPUs whose architecture is known, where NVIDIA made none of its GPUs."""
    devices = scene.gpus.devices if isinstance(scene.gpus, Gpus) else ()
    if any(gpu.vendor == "nvidia" for gpu in devices):
        return machine
    known = [(gfx, gpu.name or "") for gpu in devices if gpu.vendor == "amd" and (gfx := gfx_of_gpu(gpu, matrix))]
    if not known:
        return machine
    models, names = tuple(gfx for gfx, _ in known), tuple(name for _, name in known)
    return replace(machine, gfx=models, gpu_names=names, cpu_only=False)


def can_be_root(host: System | Gap | None) -> bool | None:
    """Whether the user may run commands as root; None is not known."""
    if not isinstance(host, System) or (host.is_root is None and host.groups is None):
        return None
    return bool(host.is_root) or (None if host.groups is None else bool(ADMINISTRATORS & set(host.groups)))


def place_here(
    scene: Scene, *, manager: Manager | None = None, venv: str | None = None, conda: str | None = None
) -> Place:
    """Where to install: a new environment that is named; else the target's own, unless packages do not belong there.

    They do not belong into the Python of the operating system, nor into conda's own environment: then a new one.
    """
    target = scene.target
    windows = scene.os == "windows"
    tools = target.managers if target else ()
    place = Place(python=scene.python, version=scene.python_minor, is_windows=windows)
    if conda is not None:
        return replace(place, manager=manager or conda_tool(tools), conda=conda)
    shared = scene.is_shared or (target is not None and target.environment == "conda-base")
    folder = venv or (NEW_ENVIRONMENT if shared else None)
    if folder is not None:
        return replace(place, manager=manager or ("uv" if "uv" in tools else "pip"), venv=folder)
    without_pip = target is not None and target.pip_version is None and "uv" in tools
    own: Manager = "uv" if without_pip else "pip"
    return replace(place, manager=manager if manager in ("pip", "uv") else own)


def packages_here(scene: Scene) -> Packages | None:
    """The installed distributions, where they were seen."""
    return scene.packages if isinstance(scene.packages, Packages) else None
