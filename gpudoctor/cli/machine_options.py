"""The machine that a plan is for: this one, or one that options describe."""

import platform
import sys
from typing import Literal

import click
from msgspec.structs import replace

from gpudoctor.cli.described_machine import Described
from gpudoctor.cli.machine_options_parse import platform_of
from gpudoctor.facts.base import Fact
from gpudoctor.facts.plan import Manager, Place
from gpudoctor.facts.python import Packages
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.machine import Machine

NEW_ENVIRONMENT = "gpu-env"
_SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}


class Target(Fact, frozen=True, kw_only=True):
    """What a plan is for."""

    machine: Machine
    place: Place
    packages: Packages | None = None
    can_be_root: bool | None = None


def where(described: Described, machine: Machine) -> Literal["here", "alike", "elsewhere"]:
    """Whether this machine is meant, one of its platform, or another one."""
    if not described.is_elsewhere:
        return "here"
    own = _SYSTEMS.get(sys.platform)
    as_it_is = described.glibc is None and described.macos is None
    alike = own is not None and as_it_is and platform_of(own, platform.machine()) == machine.platform
    return "alike" if alike else "elsewhere"


def target_of(
    described: Described, matrix: Matrix, *, manager: Manager | None, venv: str | None, conda: str | None
) -> Target:
    """The machine and the place. Raises click.UsageError."""
    make = _elsewhere if described.is_elsewhere else _here
    return make(described, matrix, manager, venv, conda)


def _elsewhere(
    described: Described, matrix: Matrix, manager: Manager | None, venv: str | None, conda: str | None
) -> Target:
    version = described.python_version
    if described.python is not None and version is None:
        raise click.BadParameter(
            f"{described.python!r} is no Python version, and of a described machine no interpreter is known; "
            "write 3.12.",
            param_hint="--python",
        )
    machine = replace(described, python=version).machine(matrix)
    windows = machine.os == "windows"
    python = "python" if windows else f"python{version or '3'}"
    tool = manager or ("conda" if conda is not None else "pip")
    folder = None if conda is not None else venv or NEW_ENVIRONMENT
    return Target(
        machine=machine,
        place=Place(manager=tool, python=python, venv=folder, conda=conda, version=version, is_windows=windows),
    )


def _here(described: Described, matrix: Matrix, manager: Manager | None, venv: str | None, conda: str | None) -> Target:
    # Imported here: a described machine is not looked at.
    from gpudoctor.examine.look import begin_to_examine
    from gpudoctor.plan.this_machine import (
        can_be_root,
        machine_here,
        packages_here,
        place_here,
        scene_of,
        with_amd_gpus,
    )

    version = described.python_version
    snapshot = begin_to_examine(None if version else described.python)()
    scene = scene_of(snapshot)
    place = place_here(scene, manager=manager, venv=venv, conda=conda)
    if version is not None and version != place.version:
        # Another Python than that which is here: for an environment that is made with it.
        if place.is_windows and place.manager == "pip":
            raise click.UsageError(f"--python {version}: name the path of that Python, or add --manager uv.")
        python = version if place.manager == "uv" else f"python{version}"
        folder = place.venv or (None if place.conda else NEW_ENVIRONMENT)
        place = replace(place, python=python, version=version, venv=folder)
    machine = machine_here(scene, matrix, cpu_only=described.no_gpu is not None)
    return Target(
        machine=machine if described.no_gpu else with_amd_gpus(machine, scene, matrix),
        place=place,
        packages=packages_here(scene),
        can_be_root=can_be_root(scene.host),
    )
