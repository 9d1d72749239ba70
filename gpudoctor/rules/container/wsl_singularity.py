"""BOX024: the Apptainer container in WSL lacks the Windows driver libraries."""

from gpudoctor.rules._driver_state import BLOCKED, CUDA_LIBRARY, NOT_LOADED, failed_with, real_libraries
from gpudoctor.rules.sections import Container, Driver
from gpudoctor.rules.terms import Ask, Iterator, Problem, answer_seen, by_hand, problem, rule, seen


@rule("BOX024", name="wsl-singularity", severity="error")
def wsl_singularity(driver: Driver | None, container: Container) -> Iterator[Problem]:
    """The Apptainer container in WSL lacks the Windows driver libraries.

    What it means:
    WSL keeps the driver's libraries in /usr/lib/wsl/lib. Apptainer (once named Singularity) does not bring them into
    the container by itself.

    Why it breaks:
    The option --nv looks for the driver's libraries where a Linux driver puts them, and WSL has them elsewhere.

    How to fix it:
    Start the container with --nvccli, or bind the folder: --nv --bind /usr/lib/wsl with LD_LIBRARY_PATH set to
    /usr/lib/wsl/lib.

    When to ignore it:
    When this container needs no GPU.

    Sources:
    Apptainer user guide, GPU support, https://apptainer.org/docs/user/main/gpu.html; CUDA on WSL user guide,
    https://docs.nvidia.com/cuda/wsl-user-guide/
    """
    wsl = container.wsl
    if container.kind != "apptainer" or wsl is None or wsl.version != 2 or wsl.dxg is False:
        return
    answer = driver.cuda_init if driver else None
    libraries = {one.name for one in real_libraries(driver)} if driver else set()
    # The libraries that --nv brings along do not reach Windows: NVML is refused, or finds no module.
    barred = driver is not None and failed_with(driver.nvml, BLOCKED, NOT_LOADED)
    found = CUDA_LIBRARY in libraries or (answer is not None and answer.outcome != "no-library")
    if found and not barred:
        return
    steps = (
        Ask(text="Start the container again: apptainer exec --nvccli IMAGE COMMAND"),
        Ask(text="Or: apptainer exec --nv --bind /usr/lib/wsl --env LD_LIBRARY_PATH=/usr/lib/wsl/lib IMAGE COMMAND"),
    )
    yield problem(
        "This Apptainer container in WSL lacks the Windows driver libraries.",
        seen("container", "Apptainer, in WSL 2"),
        *((answer_seen("NVML", driver.nvml),) if barred and driver else ()),
        *((seen("libcuda.so.1 in the container", "not found"),) if not found else ()),
        *((answer_seen("Loading libcuda.so.1", answer),) if answer and not found else ()),
        fix=by_hand("Bring WSL's libraries into the container", *steps),
    )
