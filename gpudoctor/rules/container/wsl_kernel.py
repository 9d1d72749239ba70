"""BOX019: WSL runs a kernel that cannot access the GPU."""

import re

from gpudoctor.facts.finding import Confidence
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Answer, Container, Driver, Frameworks, Gap, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, answer_seen, by_hand, problem, rule, seen

#: The oldest kernel that Microsoft names for GPU work in WSL.
FIRST_KERNEL = numbers_of("wsl-kernel")


@rule("BOX019", name="wsl-kernel", severity="error", needs=("host.kernel",))
def wsl_kernel(
    driver: Driver | None, container: Container, host: System, frameworks: Frameworks | Gap | None
) -> Iterator[Problem]:
    """WSL runs a kernel that cannot access the GPU.

    What it means:
    WSL 2 reaches the GPU through the device /dev/dxg, which Microsoft's own WSL kernel has since 5.10.43.3. This kernel
    is older, was built by somebody else, or does not have the device.

    Why it breaks:
    An old Windows or WSL (Windows 10 before version 21H2 has no GPU for WSL), or a kernel of your own named in
    .wslconfig.

    How to fix it:
    Update Windows (Windows 11, or Windows 10 version 21H2 or newer) and WSL, take the line kernel= out of .wslconfig,
    and restart WSL.

    When to ignore it:
    When you need no GPU in WSL.

    Sources:
    Microsoft, GPU acceleration in WSL, https://learn.microsoft.com/windows/wsl/tutorials/gpu-compute; Microsoft, enable
    CUDA on WSL 2 (kernel 5.10.43.3 or higher), https://learn.microsoft.com/windows/ai/directml/gpu-cuda-in-wsl
    """
    wsl = container.wsl
    if wsl is None or wsl.version != 2 or host.kernel is None:
        return
    answer = driver.nvml if driver else None
    old = _is_old(host.kernel)
    confidence = _confidence(host.kernel, dxg=wsl.dxg, library=wsl.driver_library, answer=answer, old=old)
    if confidence is None:
        return
    dxg = {True: "present", False: "missing", None: "not known"}[wsl.dxg]
    yield problem(
        "WSL runs a kernel that cannot access the GPU.",
        seen("kernel", host.kernel),
        *((seen("oldest kernel for GPU work", ".".join(map(str, FIRST_KERNEL))),) if old else ()),
        seen("/dev/dxg", dxg),
        *((answer_seen("NVML", answer),) if answer else ()),
        # Without the driver's libraries WSL cannot tell whether Windows has an NVIDIA GPU at all.
        severity=None if wsl.driver_library or _wants_cuda(known(frameworks)) else "warning",
        confidence=confidence,
        fixes=_fixes(old=old),
    )


def _confidence(
    kernel: str, *, dxg: bool | None, library: bool | None, answer: Answer | None, old: bool
) -> Confidence | None:
    """How sure it is that the kernel is the cause; None where nothing says so."""
    silent = answer is not None and answer.outcome == "answered" and not answer.ok
    foreign = "wsl2" not in kernel.lower()
    if dxg is False and (library or old):
        return "certain"
    return "likely" if (foreign or old) and silent and library else None


def _is_old(kernel: str) -> bool:
    numbers = re.match(r"\d+(?:\.\d+){1,3}", kernel)
    return numbers is not None and tuple(int(part) for part in numbers.group().split(".")) < FIRST_KERNEL


def _wants_cuda(frameworks: Frameworks | None) -> bool:
    return frameworks is not None and any(framework.variant == "cuda" for framework in frameworks.found)


def _fixes(*, old: bool) -> tuple[Fix, ...]:
    windows = Ask(text="Update Windows: WSL has the GPU on Windows 11 and on Windows 10 from version 21H2 on.")
    steps = (
        *((windows,) if old else ()),
        Ask(text="In Windows, take the line kernel= out of the file .wslconfig in your user folder, if it is there."),
        Ask(text="In Windows, run: wsl --update, then wsl --shutdown, and open WSL again."),
    )
    return (by_hand("Use the current kernel of WSL", *steps),)
