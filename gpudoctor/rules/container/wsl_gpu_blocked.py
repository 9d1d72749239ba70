"""BOX018: Windows does not let WSL use the GPU."""

from collections.abc import Iterator

from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.system import Container
from gpudoctor.rules._consequences import NO_DEVICE
from gpudoctor.rules._declare import rule
from gpudoctor.rules._driver_state import failed_with
from gpudoctor.rules._evidence import answer_seen, seen

#: NVML_ERROR_OPERATING_SYSTEM.
BLOCKED = 17


@rule("BOX018", name="wsl-gpu-blocked", severity="error", since="0.1")
def wsl_gpu_blocked(driver: Driver, container: Container) -> Iterator[Problem]:
    """Windows does not let WSL use the GPU: "GPU access blocked by the operating system".

    What it means:
    The libraries in WSL work, but Windows refuses their requests.

    Why it breaks:
    The card runs in the driver mode TCC, which WSL cannot use (data-centre cards in Windows), or WSL or its kernel is
    too old for the driver, or a Linux driver was installed inside WSL.

    How to mend it:
    Update WSL and restart it. For a data-centre card, change its driver model in Windows to WDDM or MCDM.

    When to ignore it:
    Never, if you want to use the GPU in WSL.

    Sources:
    CUDA on WSL user guide, https://docs.nvidia.com/cuda/wsl-user-guide/
    """
    if container.wsl is None or not failed_with(driver.nvml, BLOCKED):
        return
    update = Ask(text="In Windows, run: wsl --update, then wsl --shutdown, and open WSL again.")
    mode = Ask(text="For a data-centre card: in Windows, look for TCC in nvidia-smi and change it to WDDM or MCDM.")
    yield Problem(
        summary="Windows does not let WSL use the GPU.",
        evidence=(answer_seen("NVML", driver.nvml), seen("WSL version", container.wsl.version)),
        explains=("no-gpu", *NO_DEVICE),
        fixes=(Fix(title="Update WSL, and check the driver model", safety="manual", steps=(update, mode)),),
    )
