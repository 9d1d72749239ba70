"""Builds that no package index has: makers' containers, plug-ins and pages."""

from gpudoctor.knowledge.matrix.offer_types import Elsewhere
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.builds import builds_of
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.specifiers import meets


def builds_elsewhere(wish: tuple[Wanted, ...], machine: Machine, matrix: Matrix) -> tuple[str, ...]:
    """What serves a machine with what is wanted, in words; nothing where the processor is to be used."""
    if machine.cpu_only or not wish:
        return ()
    rows: tuple[Elsewhere, ...] = matrix.table("elsewhere")
    return tuple(
        in_words(row)
        for wanted in wish
        for row in rows
        if row.framework == wanted.framework
        and row.vendor == "nvidia"
        and _serves(row, machine)
        and _is_of(row, wanted, machine, matrix)
    )


def for_amd(framework: str, platform: str, matrix: Matrix, gfx: tuple[str, ...]) -> str | None:
    """What serves AMD's GPUs of these architectures, in words."""
    rows: tuple[Elsewhere, ...] = matrix.table("elsewhere")
    found = (
        row
        for row in rows
        if row.vendor == "amd"
        and row.framework == framework
        and platform in row.platforms
        and (not row.gfx or set(gfx) <= set(row.gfx))
    )
    return next((in_words(row).replace("GFX", ",device-".join(dict.fromkeys(gfx))) for row in found), None)


def in_words(row: Elsewhere) -> str:
    """A sentence and its page."""
    return f"{row.text}. {row.page}"


def _serves(row: Elsewhere, machine: Machine) -> bool:
    if (machine.platform or "linux-x86_64") not in row.platforms or row.tegra != (machine.tegra is not None):
        return False
    low, high = row.min_capability, row.max_capability
    if any((low and one < low) or (high and one > high) for one in machine.capabilities):
        return False
    if row.driver_below is None:
        return True
    # It is the way for drivers of a range only.
    return machine.driver is not None and (row.driver_from or machine.driver) <= machine.driver < row.driver_below


def _is_of(row: Elsewhere, wanted: Wanted, machine: Machine, matrix: Matrix) -> bool:
    """Whether it is one of the releases that are asked for: all that are admitted are releases it is a build of."""
    if not row.only:
        return True
    builds = builds_of(wanted.framework, machine.platform, matrix)
    admitted = {one.version for one in builds if meets(one.version, wanted.specifier)}
    return bool(admitted) and all(meets(version, row.only) for version in admitted)
