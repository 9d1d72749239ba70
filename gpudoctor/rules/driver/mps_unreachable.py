"""DRV029: CUDA is directed to NVIDIA's Multi-Process Service (MPS), which does not accept this program."""

from gpudoctor.rules._driver_state import failed_with, signs_of_a_gpu
from gpudoctor.rules._situation import is_contained, known
from gpudoctor.rules.sections import Container, Driver, Environ, Gap, Scene
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, SetEnv, answer_seen, by_hand, problem, rule, run, seen

#: MPS_CONNECTION_FAILED, RPC_FAILURE, SERVER_NOT_READY, MAX_CLIENTS_REACHED, MAX_CONNECTIONS_REACHED,
#: CLIENT_TERMINATED.
CODES = (805, 806, 807, 808, 809, 810)
FULL = (808, 809)
VARIABLE = "CUDA_MPS_PIPE_DIRECTORY"


@rule("DRV029", name="mps-unreachable", severity="error", when="driver.cuda_init.code")
def mps_unreachable(driver: Driver, environ: Environ | Gap | None, scene: Scene) -> Iterator[Problem]:
    """CUDA is directed to NVIDIA's Multi-Process Service (MPS), which does not accept this program.

    What it means:
    MPS lets several programs share a GPU: they hand their work to a server. A CUDA program that finds MPS's folder
    talks to that server alone. Here it was found, and it does not answer, is full, or threw the program out.

    Why it breaks:
    The server ended or is starting again after a program's fault. It runs for another user. Or a container sees the
    host's MPS folder (through a shared /tmp or CUDA_MPS_PIPE_DIRECTORY) but not its processes: MPS needs the host's IPC
    namespace too.

    How to fix it:
    Start MPS again where it runs, or do without it: with CUDA_MPS_PIPE_DIRECTORY set to a folder that does not exist,
    CUDA uses the GPU itself. For a container, start it with --ipc=host and mount the folder, or run MPS inside.

    When to ignore it:
    Never, if you want to use the GPU.

    Sources:
    NVIDIA Multi-Process Service, troubleshooting, https://docs.nvidia.com/deploy/mps/latest/troubleshooting.html;
    CUresult 805 to 810 in the CUDA driver API reference, https://docs.nvidia.com/cuda/cuda-driver-api/
    """
    if not failed_with(driver.cuda_init, *CODES) or not signs_of_a_gpu(scene.gpus, driver, scene.container):
        return
    variables = known(environ)
    folder = variables.get(VARIABLE) if variables else None
    how = "is full" if failed_with(driver.cuda_init, *FULL) else "does not take this program"
    yield problem(
        f"CUDA was sent to a server of NVIDIA's Multi-Process Service (MPS), and that {how}.",
        answer_seen("The CUDA driver (cuInit)", driver.cuda_init),
        *((seen(VARIABLE, folder),) if folder else ()),
        fixes=_fixes(scene.container),
    )


def _fixes(container: Container | Gap | None) -> tuple[Fix, ...]:
    alone = Fix(
        "Do without MPS in this session",
        "safe",
        (SetEnv(name=VARIABLE, value="/nonexistent"),),
        undo=f"unset {VARIABLE}",
    )
    if is_contained(container):
        text = "Start the container with --ipc=host and the host's MPS folder mounted, or start MPS inside it."
        return (alone, by_hand("Let the container reach MPS", text))
    again = (
        Ask(text="End the programs that use MPS, and stop it: echo quit | nvidia-cuda-mps-control"),
        run("nvidia-cuda-mps-control", "-d"),
    )
    return (alone, by_hand("Start MPS again", *again))
