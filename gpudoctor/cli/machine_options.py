"""The machine that a plan is for: this one, or one that options describe."""

import platform
import re
import sys
from typing import Literal

import click

from gpudoctor.cli.machine_options_parse import described_machine, platform_of
from gpudoctor.facts.base import Fact
from gpudoctor.facts.plan import Manager, Place
from gpudoctor.facts.python import Packages
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.machine import Machine

NEW_ENVIRONMENT = "gpu-env"
_SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}


class Described(Fact, frozen=True, kw_only=True):
    """What options say of the machine, as it was written."""

    driver: str | None = None
    gpus: tuple[str, ...] = ()
    system: str | None = None
    arch: str | None = None
    glibc: str | None = None
    python: str | None = None

    @property
    def is_elsewhere(self) -> bool:
        """Another machine is meant."""
        return bool(self.driver or self.gpus or self.system or self.arch or self.glibc)

    @property
    def python_version(self) -> str | None:
        """The version, where --python is one."""
        match = re.fullmatch(r"([23]\.\d{1,2})(?:\.\d+)?", (self.python or "").strip())
        return match.group(1) if match else None

    def where(self, machine: Machine) -> Literal["here", "alike", "elsewhere"]:
        """Whether this machine is meant, one of its platform, or another one."""
        if not self.is_elsewhere:
            return "here"
        own = _SYSTEMS.get(sys.platform)
        alike = own is not None and self.glibc is None and platform_of(own, platform.machine()) == machine.platform
        return "alike" if alike else "elsewhere"


class Target(Fact, frozen=True, kw_only=True):
    """What a plan is for."""

    machine: Machine
    place: Place
    packages: Packages | None = None
    can_be_root: bool | None = None


def target_of(
    described: Described,
    matrix: Matrix,
    *,
    manager: Manager | None,
    venv: str | None,
    conda: str | None,
    cpu_only: bool,
) -> Target:
    """The machine and the place. Raises click.UsageError."""
    if described.is_elsewhere:
        return _elsewhere(described, matrix, manager=manager, venv=venv, conda=conda, cpu_only=cpu_only)
    return _here(described, matrix, manager=manager, venv=venv, conda=conda, cpu_only=cpu_only)


def _elsewhere(
    described: Described,
    matrix: Matrix,
    *,
    manager: Manager | None,
    venv: str | None,
    conda: str | None,
    cpu_only: bool,
) -> Target:
    version = described.python_version
    if described.python is not None and version is None:
        raise click.BadParameter(
            f"{described.python!r} is no Python version, and of a described machine no interpreter is known; "
            "write 3.12.",
            param_hint="--python",
        )
    given = " and ".join(n for n, v in (("--gpu", described.gpus), ("--driver", described.driver)) if v)
    if given and cpu_only:
        raise click.UsageError(f"--cuda cpu asks for builds without a GPU, and {given} for builds with one.")
    there = platform_of(described.system or "linux", described.arch)
    if there.startswith("macos") and given:
        raise click.UsageError(f"--os macos contradicts {given}: macOS has no driver for NVIDIA GPUs.")
    if not there.startswith("linux") and described.glibc:
        raise click.UsageError(f"--glibc is of Linux, and --os is {described.system}.")
    machine = described_machine(
        matrix,
        gpus=described.gpus,
        driver=described.driver,
        python=version,
        system=described.system or "linux",
        arch=described.arch,
        glibc=described.glibc,
        cpu_only=cpu_only,
    )
    windows = machine.os == "windows"
    python = "python" if windows else f"python{version or '3'}"
    tool = manager or ("conda" if conda is not None else "pip")
    folder = None if conda is not None else venv or NEW_ENVIRONMENT
    return Target(
        machine=machine,
        place=Place(manager=tool, python=python, venv=folder, conda=conda, version=version, is_windows=windows),
    )


def _here(
    described: Described,
    matrix: Matrix,
    *,
    manager: Manager | None,
    venv: str | None,
    conda: str | None,
    cpu_only: bool,
) -> Target:
    # Imported here: a described machine is not looked at.
    from msgspec.structs import replace

    from gpudoctor.examine.look import begin_to_examine
    from gpudoctor.plan.this_machine import can_be_root, machine_here, packages_here, place_here, scene_of

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
    return Target(
        machine=machine_here(scene, matrix, cpu_only=cpu_only),
        place=place,
        packages=packages_here(scene),
        can_be_root=can_be_root(scene.host),
    )
