"""Hosts on which something is wrong: what public threads report, with all that a probe would have seen there."""

from tests.machines.broken import containers, drivers, elsewhere, packages
from tests.machines.broken.recorded import Broken

BROKEN: dict[str, Broken] = {
    **drivers.MACHINES,
    **containers.MACHINES,
    **packages.MACHINES,
    **elsewhere.MACHINES,
}
