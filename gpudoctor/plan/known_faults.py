"""Known faults of a release that this machine and its packages may meet. Data only."""

from collections.abc import Iterator

from gpudoctor.facts.python import Packages
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.look_up_types import KnownFault
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.specifiers import meets


def faults_of(product: str, version: str | None, matrix: Matrix) -> Iterator[KnownFault]:
    """The faults of a release of a product; of every release where `version` is None."""
    rows: tuple[KnownFault, ...] = matrix.table("faults")
    parsed = package_version(version) if version else None
    for row in rows:
        if row.product != product or (version is not None and parsed is None):
            continue
        if row.builds and parsed is not None and parsed.local is not None and parsed.local not in row.builds:
            continue
        if parsed is None or any(meets(parsed.public, one) for one in row.affected):
            yield row


def may_be_met(row: KnownFault, machine: Machine, packages: Packages | None) -> bool:
    """Whether nothing that is known of the machine, its Python and packages keeps a fault away."""
    system = "wsl" if machine.wsl else machine.os
    if row.systems and machine.platform is not None and system not in row.systems:
        return False
    if row.python and machine.python is not None and not meets(f"{machine.python}.99", row.python):
        return False
    there = ((packages.find(name) if packages else None, wanted) for name, wanted in row.beside.items())
    return all(one is None or meets(one.version.partition("+")[0], wanted) for one, wanted in there)


def fault_note(row: KnownFault) -> str:
    """The fault in a line: when, what, and what to take."""
    when = f" ({row.where})" if row.where else ""
    mended = f" Mended in {row.fixed}." if row.fixed else f" Until then: {row.instead}." if row.instead else ""
    return f"Known fault{when}: {row.says}{mended}"
