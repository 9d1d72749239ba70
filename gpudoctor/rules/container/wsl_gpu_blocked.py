"""BOX018: Windows does not let WSL use the GPU: "GPU access blocked by the operating system"."""

from gpudoctor.rules._driver_state import BLOCKED, failed_with
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Container, Driver, Gap, Gpu, Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, answer_seen, by_hand, problem, rule, seen


@rule("BOX018", name="wsl-gpu-blocked", severity="error")
def wsl_gpu_blocked(gpus: Gpus | Gap | None, driver: Driver, container: Container) -> Iterator[Problem]:
    """Windows does not let WSL use the GPU: "GPU access blocked by the operating system".

    What it means:
    The libraries in WSL work, but Windows refuses their requests.

    Why it breaks:
    A card runs in the driver mode TCC, which WSL cannot use (data-centre cards in Windows); one such card can keep all
    the others from WSL, too. Or WSL or its kernel is too old for the driver, or a Linux driver was installed in WSL.

    How to fix it:
    Update WSL and restart it. For a data-centre card, change its driver model in Windows to WDDM or MCDM.

    When to ignore it:
    Never, if you want to use the GPU in WSL.

    Sources:
    CUDA on WSL user guide, https://docs.nvidia.com/cuda/wsl-user-guide/; for one card of several in TCC mode
    https://github.com/microsoft/WSL/issues/13027
    """
    refused = _without_handle(gpus, driver)
    if container.wsl is None or not (failed_with(driver.nvml, BLOCKED) or refused):
        return
    update = Ask(text="In Windows, run: wsl --update, then wsl --shutdown, and open WSL again.")
    mode = Ask(text="For a data-centre card: in Windows, look for TCC in nvidia-smi and change it to WDDM or MCDM.")
    yield problem(
        "Windows does not let WSL use the GPU.",
        answer_seen("NVML", driver.nvml),
        *(seen(gpu.label, f"{gpu.refusals[0].name} to {gpu.refusals[0].call}") for gpu in refused[:4]),
        seen("WSL version", container.wsl.version),
        fix=by_hand("Update WSL, and check the driver model", update, mode),
    )


def _without_handle(gpus: Gpus | Gap | None, driver: Driver) -> tuple[Gpu, ...]:
    """All GPUs, where NVML counts them and gives access to none, and CUDA starts with none."""
    found = known(gpus)
    cards = found.nvidia if found else ()
    barred = [gpu for gpu in cards if any("GetHandle" in refusal.call for refusal in gpu.refusals)]
    works = driver.cuda_init is not None and driver.cuda_init.ok
    return cards if cards and len(barred) == len(cards) and not works else ()
