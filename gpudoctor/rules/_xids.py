"""Xid errors in the driver's log, with what NVIDIA's catalogue says of each."""

import re
from collections.abc import Iterator

from gpudoctor.facts.driver import Driver, KernelLine
from gpudoctor.knowledge.matrix.gpu_types import Xid
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.rules._driver_state import slot, xid_lines

#: Xid 154 says which recovery the driver wants from now on; "None" is that it wants none any more.
RECOVERY = 154
_RECOVERED = r"changed from .* to \S+ \(None\)"


def logged(driver: Driver, matrix: Matrix) -> Iterator[tuple[Xid, KernelLine]]:
    """The lines whose Xid the matrix knows, oldest first, but for those of GPUs that have recovered since."""
    lines = xid_lines(driver)
    if not lines:
        return
    known: dict[int, Xid] = {row.xid: row for row in matrix.table("xids")}
    recovered = {slot(line.pci_bus_id): place for place, line in enumerate(lines) if _recovered(line)}
    for place, line in enumerate(lines):
        row = known.get(line.xid or 0)
        if row is not None and place > recovered.get(slot(line.pci_bus_id), -1):
            yield row, line


def _recovered(line: KernelLine) -> bool:
    return line.xid == RECOVERY and re.search(_RECOVERED, line.text) is not None
