"""DRV013: CUDA cannot be initialised, although the machine has a GPU."""

from gpudoctor.rules._driver_fixes import REBOOT
from gpudoctor.rules._driver_state import log_lines, signs_of_a_gpu
from gpudoctor.rules._situation import wsl_of
from gpudoctor.rules.sections import Answer, Container, Driver, Gap, Gpus, Scene
from gpudoctor.rules.terms import (
    Ask,
    Fix,
    Iterator,
    Problem,
    Run,
    answer_seen,
    answer_words,
    by_hand,
    log_seen,
    problem,
    rule,
    run,
    seen,
)


@rule(
    "DRV013",
    name="cuda-init-failed",
    severity="error",
    when="driver.nvml.code or driver.cuda_init.code or driver.cuda_init.device_count=0",
)
def cuda_init_failed(driver: Driver, scene: Scene) -> Iterator[Problem]:
    """CUDA cannot be initialised, although the machine has a GPU.

    What it means:
    gpudoctor started the driver's two libraries, as every CUDA program does, and one of them answered with an error.
    The code and its meaning are below. No framework can use the GPU while this is so.

    Why it breaks:
    Mostly another finding says why, and this one is listed under it. When it stands alone, the cause is not one that
    gpudoctor knows: a damaged driver installation, firmware, a virtual machine's settings, or a GPU in a bad state.

    How to fix it:
    Restart the machine. If the error stays, install the driver anew. If it still stays, run nvidia-bug-report.sh and
    give its file to NVIDIA or to your administrator.

    When to ignore it:
    Never, if you want to use the GPU.

    Sources:
    CUresult in the CUDA driver API reference, https://docs.nvidia.com/cuda/cuda-driver-api/; nvmlReturn_t in the NVML
    API reference, https://docs.nvidia.com/deploy/nvml-api/
    """
    if not signs_of_a_gpu(scene.gpus, driver, scene.container):
        return
    failed = [(who, answer) for who, answer in _answers(driver) if answer.outcome == "answered" and answer.code]
    empty = driver.cuda_init is not None and driver.cuda_init.ok and driver.cuda_init.device_count == 0
    if not failed and not empty:
        return
    who, answer = failed[0] if failed else ("The CUDA driver", driver.cuda_init)
    what = f"{who} reports {answer_words(answer)}" if failed else "The CUDA driver starts but lists no GPU."
    yield problem(
        what if what.endswith(".") else f"{what}.",
        *(answer_seen(name, one) for name, one in failed),
        *((seen("GPUs that the CUDA driver lists", 0),) if empty else ()),
        seen(
            "NVIDIA GPUs seen",
            len(scene.gpus.nvidia) if isinstance(scene.gpus, Gpus) else "a device file or driver only",
        ),
        *log_seen(log_lines(driver, "NVRM")),
        fixes=_fixes(scene.container),
    )


def _answers(driver: Driver) -> Iterator[tuple[str, Answer]]:
    if driver.nvml:
        yield "NVML", driver.nvml
    if driver.cuda_init:
        yield "The CUDA driver", driver.cuda_init


def _fixes(container: Container | Gap | None) -> tuple[Fix, ...]:
    if wsl_of(container):
        steps: tuple[Run | Ask, ...] = (
            Ask(text="In Windows, run: wsl --update, then wsl --shutdown, and open WSL again."),
        )
        return (by_hand("Restart WSL", *steps),)
    report = by_hand("If it stays, collect what the driver knows", run("nvidia-bug-report.sh"), needs_root=True)
    return (REBOOT, report)
