"""The recorded commands, with the machines they are for and the verdict that public facts call for."""

from pathlib import Path
from typing import NamedTuple

import tomllib

from gpudoctor.cli.machine_options_parse import capability_of, driver_of, glibc_of, name_of, platform_of
from gpudoctor.facts.python import Package, Packages
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.verdict import Given

FOLDER = Path(__file__).parent


class Recorded(NamedTuple):
    line: int
    machine: str
    word: str
    kind: str
    command: str


def recorded() -> list[Recorded]:
    lines = (FOLDER / "commands.tsv").read_text().splitlines()
    rows = [(number, line.split("\t")) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    return [Recorded(number, *row[:3], row[3].replace("\\n", "\n")) for number, row in rows]


def machines() -> dict[str, Given]:
    return {name: given(told) for name, told in tomllib.loads((FOLDER / "machines.toml").read_text()).items()}


def given(told: dict) -> Given:
    matrix = load_matrix()
    gpus = told.get("gpu", [])
    glibc = told.get("glibc")
    installed = [one.partition("==") for one in told.get("installed", [])]
    distribution, _, version = told.get("distribution", "").partition(" ")
    machine = Machine(
        driver=driver_of(told.get("driver")),
        capabilities=tuple(capability_of(name, matrix) for name in gpus),
        gpu_names=tuple(name_of(name, matrix) for name in gpus),
        python=told.get("python"),
        platform=platform_of(told.get("os", "linux"), told.get("arch")),
        libc="glibc" if glibc else None,
        libc_version=glibc_of(glibc),
    )
    return Given(
        machine=machine,
        packages=Packages(installed=tuple(Package(name=n, version=v) for n, _, v in installed)) if installed else None,
        environment=told.get("environment"),
        externally_managed=told.get("externally_managed"),
        distribution=distribution or None,
        distribution_version=version or None,
    )
