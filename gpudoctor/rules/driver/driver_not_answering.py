"""DRV007: the driver hangs, crashes or gives nonsensical answers."""

from gpudoctor.rules._driver_fixes import REBOOT
from gpudoctor.rules._driver_state import xid_lines
from gpudoctor.rules._situation import place
from gpudoctor.rules.sections import Answer, Container, Driver, Gap, Gpus, Scene
from gpudoctor.rules.terms import (
    Evidence,
    Fix,
    Iterator,
    Problem,
    answer_seen,
    by_hand,
    log_seen,
    problem,
    rule,
    run,
    seen,
)

WORDS = {
    "stuck": "does not respond, and the process that called it hangs in the kernel and cannot be killed",
    "timed-out": "did not respond in time",
    "crashed": "crashes when it is called",
    "garbage": "gives a nonsensical answer",
}


@rule(
    "DRV007",
    name="driver-not-answering",
    severity="error",
    when="driver.nvml.outcome=stuck|timed-out|crashed|garbage"
    " or driver.cuda_init.outcome=stuck|timed-out|crashed|garbage",
)
def driver_not_answering(driver: Driver, scene: Scene) -> Iterator[Problem]:
    """The driver hangs, crashes or gives nonsensical answers.

    What it means:
    gpudoctor asks the driver in a separate process, so that it cannot be taken down with it. That process hung,
    crashed or printed something else. Every CUDA program will meet the same.

    Why it breaks:
    A hang is mostly a GPU that fell off the bus or a driver bug (the kernel log shows an Xid number). A crash is
    mostly a damaged or foreign copy of libcuda or libnvidia-ml. With persistence mode off, the driver starts every GPU
    anew for each program that asks (nvmlInit, cuInit): that takes a second or more for each, so with many GPUs half a
    minute. Then only the time limit was too short.

    How to fix it:
    Look for NVRM and Xid lines in the kernel log. Restart the machine; a process that hangs in the kernel cannot be
    ended in any other way. For crashes, install the driver anew.

    When to ignore it:
    When nvidia-smi answers, only slowly: turn persistence mode on.

    Sources:
    NVIDIA Xid errors, https://docs.nvidia.com/deploy/xid-errors/; driver persistence,
    https://docs.nvidia.com/deploy/driver-persistence/
    """
    silent = [(who, answer) for who, answer in _asked(driver) if answer.outcome in WORDS]
    if not silent or (scene.gpus is None and not _hangs(silent)):
        return
    who, worst = silent[0]
    lines = xid_lines(driver)
    yield problem(
        f"{who} {WORDS[worst.outcome]}.",
        *(answer_seen(name, answer) for name, answer in silent),
        *((seen("library", worst.library),) if worst.library else ()),
        *_many(scene.gpus, worst),
        *log_seen(lines),
        confidence="likely" if worst.outcome == "timed-out" else "certain",
        fixes=_fixes(worst, scene.container),
    )


def _many(gpus: Gpus | Gap | None, worst: Answer) -> Iterator[Evidence]:
    """Several GPUs to start one after the other are a harmless reason for being late."""
    count = len(gpus.nvidia) if isinstance(gpus, Gpus) else 0
    if worst.outcome == "timed-out" and count > 1:
        yield seen("NVIDIA GPUs", f"{count}; without persistence mode each takes a second or more to start")


def _asked(driver: Driver) -> Iterator[tuple[str, Answer]]:
    if driver.nvml:
        yield "The driver's management library (NVML)", driver.nvml
    if driver.cuda_init:
        yield "The CUDA driver (libcuda)", driver.cuda_init


def _hangs(silent: list[tuple[str, Answer]]) -> bool:
    return any(answer.outcome in ("stuck", "timed-out") for _, answer in silent)


def _fixes(worst: Answer, container: Container | Gap | None) -> tuple[Fix, ...]:
    log = by_hand(
        f"Read the driver's lines of the kernel log{place(container)}",
        run("dmesg"),
        "Look for lines with NVRM or Xid.",
        needs_root=True,
    )
    if worst.outcome in ("crashed", "garbage"):
        text = "Check that the library named above belongs to the NVIDIA driver; then reinstall the driver."
        anew = by_hand("Reinstall the driver", text, needs_root=True, needs_reboot=True)
        return (anew, log)
    if worst.outcome == "timed-out":
        persistence = by_hand(
            "If nvidia-smi answers after a while, keep the driver awake",
            run("nvidia-smi", "-pm", "1"),
            needs_root=True,
            undo="nvidia-smi -pm 0",
        )
        return (log, persistence, REBOOT)
    return (log, REBOOT)
