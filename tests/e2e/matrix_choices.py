"""Choices of the matrix page at random, and what `matrix fit` says to them."""

import random

from gpudoctor.cli.machine_options_parse import described_machine
from gpudoctor.facts.versions import Capability
from gpudoctor.plan.demand import parse_demand
from gpudoctor.plan.pairing import fit_with_extras
from gpudoctor.report.fit_lines import fit_blocks
from gpudoctor.report.fit_table import (
    CODES,
    FIRST_WITH_ARM,
    PYTHONS,
    branches_of,
    drivers_of,
    gpu_names,
    wishes,
)


def choices(matrix, count, platforms, seed):
    """As a user could make them: any product, any driver of a known branch, many of them releases that decide."""
    chance, names = random.Random(seed), gpu_names(matrix)
    for _ in range(count):
        platform = chance.choice(platforms)
        yield {
            "system": platform,
            "gpu": chance.choice([name for name in names if _is_offered(names[name], platform)] + [""] * 20),
            "driver": _driver(chance, platform, matrix),
            "python": chance.choice(PYTHONS),
            "wish": chance.choice(list(wishes())),
        }


def _is_offered(key, platform):
    if platform == "linux-aarch64":
        return key.endswith("j") or Capability(key.rstrip("d")) >= FIRST_WITH_ARM
    return not key.endswith("j") and not platform.startswith("macos")


def _driver(chance, platform, matrix):
    system = platform.split("-")[0]
    if system == "macos" or chance.random() < 0.1:
        return ""
    branches = branches_of(system, matrix)
    branch = chance.choice(branches)
    number = chance.randint(branch.first, branch.last)
    near = chance.choice(drivers_of(system, branches, matrix)).text
    return chance.choice(
        [
            str(number),
            f"{number}.{chance.randint(0, 199)}",
            f"{number}.{chance.randint(0, 199)}.0{chance.randint(1, 9)}",
            near,
        ]
    )


def answer_of_fit(choice, matrix):
    """The paragraphs of `matrix fit -v`, each line with the letter of its kind."""
    system, _, arch = choice["system"].partition("-")
    is_mac = system == "macos"
    gpu = "" if is_mac else choice["gpu"]
    machine = described_machine(
        matrix,
        gpus=(gpu,) if gpu else (),
        driver=choice["driver"] if gpu and choice["driver"] else None,
        python=choice["python"],
        system=system,
        arch=arch,
        glibc=None,
        cpu_only=not gpu and not is_mac,
    )
    found = fit_with_extras(machine, parse_demand(tuple(choice["wish"].split())), matrix)
    return [[[CODES[line.kind], line.text] for line in block] for block in fit_blocks(found)]
