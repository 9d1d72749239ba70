"""GPU024: the driver logged an error of this GPU after which it needs a reset, or a look at its hardware."""

from gpudoctor.facts.driver import KernelLine
from gpudoctor.knowledge.matrix.gpu_types import Action, Xid
from gpudoctor.rules._driver_fixes import REBOOT
from gpudoctor.rules._driver_state import of_gpu
from gpudoctor.rules._gpu_fixes import reset
from gpudoctor.rules._xids import logged
from gpudoctor.rules.sections import Driver, Gpu, Gpus, Matrix
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, log_seen, problem, rule

SERIOUS: tuple[Action, ...] = ("reset-gpu", "restart-machine", "check-power")
POWER = by_hand(
    "Check the card's power", "Shut down, and check that each power plug of the card has a cable of its own."
)
SUPPORT = by_hand(
    "If it comes back, have the GPU tested",
    "Update the driver. If the error returns, save nvidia-bug-report.sh's file and ask the maker.",
)


@rule("GPU024", name="xid-error", severity="error", since="0.2", when="gpus.nvidia, driver.kernel_log")
def xid_error(gpus: Gpus, driver: Driver, matrix: Matrix) -> Iterator[Problem]:
    """The driver logged an error of this GPU after which it needs a reset, or a look at its hardware.

    What it means:
    The driver writes each error of a GPU to the kernel log with a number, its Xid. Most mean that a program failed.
    This one means that the GPU itself did, and NVIDIA's catalogue asks for a reset, a restart or a look at the card.

    Why it breaks:
    Until the reset the GPU may refuse programs, hang, or run slower. The cause is the card, its power or cooling, or
    the driver; one such error may be chance, several are not.

    How to fix it:
    End the work on the GPU and reset it; where that is refused, restart the machine. If the error returns with a
    current driver, have the GPU tested.

    When to ignore it:
    When the GPU was reset since: the log keeps its lines until the machine restarts.

    Sources:
    NVIDIA's catalogue of Xid errors, https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
    """
    found = [(row, line) for row, line in logged(driver, matrix) if row.judged_by is None and row.what]
    for gpu in gpus.nvidia:
        lines = of_gpu(tuple(line for _, line in found), gpu)
        own = [(row, line) for row, line in found if line in lines]
        if not own and len(gpus.nvidia) == 1:
            own = [(row, line) for row, line in found if line.pci_bus_id is None]
        if own:
            yield _problem(gpu, own)


def _problem(gpu: Gpu, found: list[tuple[Xid, KernelLine]]) -> Problem:
    rows = list(dict.fromkeys(row for row, _ in found))
    said = "; ".join(f"{row.what} (Xid {row.xid})" for row in rows)
    return problem(
        f"The driver logged an error of this GPU: {said}.",
        *log_seen(tuple(line for _, line in found)),
        subject=gpu.label,
        severity="error" if any(row.action in SERIOUS for row in rows) else "warning",
        fixes=tuple(_fixes(gpu, {row.action for row in rows})),
    )


def _fixes(gpu: Gpu, actions: set[Action]) -> Iterator[Fix]:
    if "check-power" in actions:
        yield POWER
    if "reset-gpu" in actions:
        yield reset(gpu, first="End every program on this GPU.")
    if actions & {"reset-gpu", "restart-machine"}:
        yield REBOOT
    yield SUPPORT
