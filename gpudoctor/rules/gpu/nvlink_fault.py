"""GPU025: a link between two GPUs (NVLink) had errors, or is down while others are up."""

from gpudoctor.facts.driver import KernelLine
from gpudoctor.rules._driver_state import of_gpu
from gpudoctor.rules._gpu_fixes import chosen
from gpudoctor.rules._situation import known
from gpudoctor.rules._xids import logged
from gpudoctor.rules.sections import Driver, Gap, Gpu, Gpus, Matrix
from gpudoctor.rules.terms import Evidence, Iterator, Problem, by_hand, log_seen, problem, rule, run, seen

NAME = "nvlink-fault"


@rule(
    "GPU025",
    name=NAME,
    severity="error",
    since="0.2",
    when="gpus.devices.has_details, driver.kernel_log or gpus.devices.nvlinks",
)
def nvlink_fault(gpus: Gpus, driver: Driver | Gap | None, matrix: Matrix) -> Iterator[Problem]:
    """A link between two GPUs (NVLink) had errors, or is down while others are up.

    What it means:
    NVLink joins the GPUs of a machine, faster than PCIe does. The driver logged a fault of a link, a link had to be
    brought up again while it was in use, or fewer links are active than on a GPU of the same kind beside it.

    Why it breaks:
    A bridge or board that is not seated well, a failing GPU or switch. Programs on several GPUs end with an error, hang
    in NCCL, or run slower than the others.

    How to fix it:
    Restart the machine. If it returns, reseat the bridge or the board, and have the GPU and its switch tested.

    When to ignore it:
    When only one GPU is used at a time. Links whose counters stand still have recovered: watch whether they grow.

    Sources:
    NVIDIA's catalogue of Xid errors, https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html; limits of
    DCGM, https://github.com/NVIDIA/DCGM (dcgm_hardware_limits.h: one replay or recovery)
    """
    state = known(driver)
    lines = tuple(line for row, line in logged(state, matrix) if row.judged_by == NAME) if state else ()
    for gpu in gpus.nvidia:
        own = of_gpu(lines, gpu)
        down = _down(gpu, gpus)
        errors = tuple(_errors(gpu))
        if own or down or errors:
            yield _problem(gpu, own, down, errors)


def _down(gpu: Gpu, gpus: Gpus) -> tuple[int, int] | None:
    """How many links are up, and on the best GPU of its kind; only where switches join them all."""
    alike = [_active(one) for one in gpus.nvidia if one.name == gpu.name and one.nvlinks]
    if not gpus.nvswitches or not gpu.nvlinks or _active(gpu) >= max(alike):
        return None
    return _active(gpu), max(alike)


def _active(gpu: Gpu) -> int:
    return sum(bool(link.active) for link in gpu.nvlinks or ())


def _errors(gpu: Gpu) -> Iterator[Evidence]:
    """Links that had to repeat a transfer or be brought up again. Bits that were flipped and noticed are normal."""
    for link in gpu.nvlinks or ():
        counts = {"recoveries": link.recoveries, "replays": link.replays}
        if any(counts.values()):
            words = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
            yield seen(f"link {link.link}, since the driver was loaded", words)


def _problem(
    gpu: Gpu, lines: tuple[KernelLine, ...], down: tuple[int, int] | None, errors: tuple[Evidence, ...]
) -> Problem:
    if lines:
        summary = "A link of this GPU to another (NVLink) failed."
    elif down:
        summary = f"Only {down[0]} of this GPU's NVLinks are up; a GPU of the same kind here has {down[1]}."
    else:
        summary = "Links of this GPU to another (NVLink) had errors that interrupted them."
    up = (seen("active NVLinks", f"{down[0]} of {down[1]}"),) if down else ()
    return problem(
        summary,
        *log_seen(lines),
        *up,
        *errors[:4],
        subject=gpu.label,
        severity="error" if lines or down else "warning",
        fix=by_hand(
            "See which links, restart, and have the hardware checked if it returns",
            run("nvidia-smi", "nvlink", "--status", *chosen(gpu)),
            run("nvidia-smi", "nvlink", "--errorcounters", *chosen(gpu)),
            "Restart the machine. If it returns, reseat the bridge or board and have it tested.",
        ),
    )
