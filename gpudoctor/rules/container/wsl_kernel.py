"""BOX019: WSL 2 with a kernel that was not made for it."""

from collections.abc import Iterator

from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.system import Container, System
from gpudoctor.rules._consequences import NO_DEVICE
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import answer_seen, seen


@rule("BOX019", name="wsl-kernel", severity="error", since="0.1")
def wsl_kernel(driver: Driver | None, container: Container, host: System) -> Iterator[Problem]:
    """WSL runs a kernel that cannot reach the GPU of Windows.

    What it means:
    WSL 2 reaches the GPU through the device /dev/dxg, which Microsoft's own WSL kernel has. This kernel does not have
    it, or was built by somebody else and the GPU does not answer.

    Why it breaks:
    An old Windows or WSL, or a kernel of your own named in .wslconfig.

    How to mend it:
    Update WSL, take the line kernel= out of .wslconfig, and restart WSL.

    When to ignore it:
    When you need no GPU in WSL.

    Sources:
    Microsoft, GPU acceleration in WSL, https://learn.microsoft.com/windows/wsl/tutorials/gpu-compute
    """
    wsl = container.wsl
    if wsl is None or wsl.version != 2 or not wsl.driver_library or host.kernel is None:
        return
    answer = driver.nvml if driver else None
    silent = answer is not None and answer.outcome == "answered" and not answer.ok
    foreign = "wsl2" not in host.kernel.lower()
    if not (wsl.dxg is False or (foreign and silent)):
        return
    steps = (
        Ask(text="In Windows, take the line kernel= out of the file .wslconfig in your user folder, if it is there."),
        Ask(text="In Windows, run: wsl --update, then wsl --shutdown, and open WSL again."),
    )
    dxg = {True: "present", False: "missing", None: "not known"}[wsl.dxg]
    yield Problem(
        summary="WSL runs a kernel that cannot reach the GPU of Windows.",
        confidence="certain" if wsl.dxg is False else "possible",
        evidence=(
            seen("kernel", host.kernel),
            seen("/dev/dxg", dxg),
            *((answer_seen("NVML", answer),) if answer else ()),
        ),
        explains=("no-gpu", *NO_DEVICE),
        fixes=(Fix(title="Use the kernel of WSL", safety="manual", steps=steps),),
    )
