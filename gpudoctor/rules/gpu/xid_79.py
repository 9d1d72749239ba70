"""GPU003: a GPU has fallen off the bus: the driver can no longer reach it."""

from gpudoctor.facts.driver import KernelLine
from gpudoctor.facts.gpus import Refusal
from gpudoctor.rules._driver_state import failed_with, log_lines, of_gpu, slot, xid_lines
from gpudoctor.rules._situation import known, wsl_of
from gpudoctor.rules.sections import Container, Gap, Gpu, Gpus, Scene, System
from gpudoctor.rules.terms import Fix, Iterator, Problem, answer_seen, by_hand, log_seen, problem, rule, run, seen

#: NVML_ERROR_GPU_IS_LOST.
LOST = 15
#: NVML_ERROR_UNKNOWN: nvidia-smi's "Unable to determine the device handle for GPU ...: Unknown Error".
UNKNOWN = 999
#: Xid 79: the GPU has fallen off the bus.
FALLEN = 79


@rule("GPU003", name="xid-79", severity="error", when="driver.kernel_log or gpus.nvidia.refusals or driver.nvml.code")
def gpu_lost(gpus: Gpus | None, scene: Scene) -> Iterator[Problem]:
    """A GPU has fallen off the bus: the driver can no longer reach it.

    What it means:
    The GPU stopped answering while the machine ran. The kernel log calls it Xid 79, NVML "GPU is lost".

    Why it breaks:
    Mostly hardware: a card or riser that is not seated well, a power cable, too weak a power supply, heat. Sometimes
    power saving of the PCIe slot, the firmware, or the driver.

    How to fix it:
    Switch the machine off completely (a restart alone may not bring it back), reseat the card and its power plugs, and
    try another slot without a riser. If it comes back under load, limit the clocks for a test; if that helps, suspect
    the power supply. If it returns on good power, the card is a case for its warranty.

    When to ignore it:
    Never. Programs on this GPU end, and others may hang.

    Sources:
    NVIDIA Xid errors, Xid 79, https://docs.nvidia.com/deploy/xid-errors/
    """
    state = known(scene.driver)
    lines = (*xid_lines(state, FALLEN), *log_lines(state, "fallen off the bus")) if state else ()
    cards = gpus.nvidia if gpus else ()
    codes = (LOST,) if _in_wsl(scene.container, scene.host) else (LOST, UNKNOWN)
    named = [gpu for gpu in cards if of_gpu(lines, gpu) or _refusals(gpu, codes)]
    for gpu in named:
        yield _problem(gpu, of_gpu(lines, gpu), _refusals(gpu, codes), alone=len(cards) == 1)
    known_slots = {slot(gpu.pci_bus_id) for gpu in cards}
    elsewhere = tuple(line for line in lines if slot(line.pci_bus_id) not in known_slots)
    if elsewhere and not named:
        yield _problem(None, elsewhere, (), alone=False)
    elif cards and state and failed_with(state.nvml, LOST) and not named:
        yield problem(
            "NVML reports that a GPU is lost: the driver can no longer reach it.",
            answer_seen("NVML", state.nvml),
            fixes=_fixes(),
        )


def _in_wsl(container: Container | Gap | None, host: System | Gap | None) -> bool:
    """There Windows decides which GPUs there are handles for. Its kernel is named after its maker."""
    system = known(host)
    return wsl_of(container) is not None or "microsoft" in (system.kernel or "" if system else "").lower()


def _refusals(gpu: Gpu, codes: tuple[int, ...]) -> tuple[Refusal, ...]:
    """Where NVML calls the GPU lost, or does not get as far as a handle of a GPU that it lists."""
    return tuple(
        refusal
        for refusal in gpu.refusals
        if refusal.code in codes and (refusal.code == LOST or "GetHandle" in refusal.call)
    )


def _problem(gpu: Gpu | None, lines: tuple[KernelLine, ...], refusals: tuple[Refusal, ...], *, alone: bool) -> Problem:
    who = gpu.label if gpu else f"the GPU at {lines[-1].pci_bus_id or 'an address the log does not name'}"
    evidence = (
        *log_seen(tuple(dict.fromkeys(lines)), most=2),
        *(seen(refusal.call, f"{refusal.name} ({refusal.code})") for refusal in refusals[:2]),
    )
    return problem(
        "A GPU has fallen off the bus: the driver can no longer reach it.",
        *evidence,
        subject=who,
        confidence="certain" if (alone and lines) or any(one.code == LOST for one in refusals) else "likely",
        fixes=_fixes(),
    )


def _fixes() -> tuple[Fix, ...]:
    off = by_hand(
        "Switch off, reseat, switch on",
        "Shut down and take the machine off the mains; reseat the card and its power plugs.",
        "If it comes back: try another slot, no riser, another power supply, better cooling.",
        needs_reboot=True,
    )
    test = by_hand(
        "For a test, limit the clocks of the GPU",
        run("nvidia-smi", "-lgc", "300,1200"),
        needs_root=True,
        undo="nvidia-smi -rgc",
    )
    return (off, test)
