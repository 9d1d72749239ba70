"""GPU007: the GPU's compute mode does not allow another program."""

from gpudoctor.rules._driver_state import failed_with
from gpudoctor.rules._gpu_fixes import chosen
from gpudoctor.rules._situation import known
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Driver, Gap, Gpus, Live
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, run, seen

#: The kernel cuts the name of nvidia-cuda-mps-server at 15 characters.
MPS_SERVER = "nvidia-cuda-mps"
#: CUDA_ERROR_DEVICE_UNAVAILABLE and CUDA_ERROR_CONTEXT_ALREADY_IN_USE.
CUDA_BUSY = (46, 216)


@rule(
    "GPU007",
    name="compute-mode-exclusive",
    severity="error",
    when="gpus.nvidia.compute_mode=prohibited|exclusive-process|exclusive-thread",
)
def compute_mode_exclusive(gpus: Gpus, driver: Driver | Gap | None, live: Live | Gap | None) -> Iterator[Problem]:
    """The GPU's compute mode does not allow another program.

    What it means:
    A GPU can be set to serve one process at a time (exclusive) or none (prohibited). Here no place is
    free.

    Why it breaks:
    An administrator or a batch system sets this mode, so that jobs do not share a GPU. The next program gets "all
    CUDA-capable devices are busy or unavailable".

    How to fix it:
    Wait until the other process ends, use another GPU, or ask the batch system for one of your own. On your own
    machine, set the mode back to default.

    When to ignore it:
    When the process on the GPU is yours and alone is what you want.

    Sources:
    nvidia-smi(1), option -c; CUDA programming guide, compute modes
    """
    busy = _is_busy(driver, live)
    for gpu in gpus.nvidia:
        others = [process for process in gpu.processes or () if process.kind != "graphics"]
        # The one process may be that of MPS, which takes the work of all the others.
        shared = any((process.name or "").startswith(MPS_SERVER) for process in others)
        exclusive = gpu.compute_mode in ("exclusive-process", "exclusive-thread") and not shared
        if not (gpu.compute_mode == "prohibited" or (exclusive and (others or busy))):
            continue
        which = chosen(gpu)
        holders = ", ".join(f"{one.name or 'process'} (PID {one.pid})" for one in others)
        yield problem(
            _summary(gpu.compute_mode),
            seen("compute mode", gpu.compute_mode),
            *((seen("processes on it", holders),) if holders else ()),
            *((seen("a program was told", "CUDA-capable devices are busy or unavailable"),) if busy else ()),
            subject=gpu.label,
            fixes=(
                Fix(
                    "Set the compute mode to default, on a machine of your own",
                    "review",
                    (run("nvidia-smi", *which, "-c", "DEFAULT"),),
                    needs_root=True,
                    undo=f"nvidia-smi {' '.join(which)} -c {_word(gpu.compute_mode)}",
                ),
                by_hand(
                    "On a shared machine, wait or use another GPU",
                    "Ask the batch system for a GPU of your own, or wait until the process ends.",
                ),
            ),
        )


def _is_busy(driver: Driver | Gap | None, live: Live | Gap | None) -> bool:
    """CUDA answered that the GPU takes no further program: who is on it need not be seen."""
    state = known(driver)
    answered = state is not None and failed_with(state.cuda_init, *CUDA_BUSY)
    return answered or any(one.signature == "cuda-devices-unavailable" for one in pasted(live))


def _summary(mode: str | None) -> str:
    if mode == "prohibited":
        return "This GPU's compute mode is prohibited: no CUDA program may use it."
    return "This GPU's compute mode allows only one process, and one is already using it."


def _word(mode: str | None) -> str:
    return "PROHIBITED" if mode == "prohibited" else "EXCLUSIVE_PROCESS"
