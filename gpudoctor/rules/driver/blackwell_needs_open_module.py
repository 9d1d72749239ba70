"""DRV015: the GPU needs NVIDIA's open kernel modules, but the proprietary ones are installed."""

from gpudoctor.knowledge.matrix.gpu_types import Architecture
from gpudoctor.rules._driver_state import architecture_of, log_lines, of_gpu, unlisted
from gpudoctor.rules._situation import is_contained, known, place, wsl_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, Matrix, System
from gpudoctor.rules.terms import (
    Ask,
    Fix,
    Iterator,
    Problem,
    Run,
    by_hand,
    gpu_seen,
    log_seen,
    problem,
    rule,
    run,
    seen,
)


@rule("DRV015", name="blackwell-needs-open-module", severity="error", when="gpus.nvidia.is_listed=False")
def blackwell_needs_open_module(
    gpus: Gpus, driver: Driver, host: System | Gap, container: Container | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """The GPU needs NVIDIA's open kernel modules, but the proprietary ones are installed.

    What it means:
    NVIDIA's driver comes with two flavours of kernel module, proprietary and open. GPUs from Blackwell on (RTX 50
    series, B200) work only with the open one. nvidia-smi says "No devices were found".

    Why it breaks:
    The package without "-open" in its name was installed; some tools still recommend it.

    How to fix it:
    Install the -open flavour of the same branch and restart. Nothing else changes.

    When to ignore it:
    When another GPU in this machine does the computing.

    Sources:
    NVIDIA driver installation guide, chapter on kernel modules,
    https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/
    """
    if wsl_of(container):
        return
    lines = log_lines(driver, "requires use of the NVIDIA open kernel modules")
    for gpu in unlisted(gpus):
        architecture = architecture_of(gpu, matrix)
        said = of_gpu(lines, gpu)
        if not said and not _is_wrong_flavour(driver, architecture):
            continue
        kind = f"{architecture.name} GPU" if architecture else "GPU"
        yield problem(
            f"This {kind} needs the open kernel modules, but the proprietary ones are loaded.",
            gpu_seen(gpu),
            seen("kernel module", f"proprietary, release {driver.module_release or 'not known'}"),
            *log_seen(of_gpu(log_lines(driver, "NVRM"), gpu)),
            subject=gpu.label,
            fixes=_fixes(host, container, driver),
        )


def _is_wrong_flavour(driver: Driver, architecture: Architecture | None) -> bool:
    return driver.module_flavour == "proprietary" and architecture is not None and architecture.kernel_module == "open"


def _fixes(host: System | Gap, container: Container | Gap | None, driver: Driver) -> tuple[Fix, ...]:
    machine = known(host)
    branch = driver.module_release.branch if driver.module_release else None
    if machine and machine.distribution == "ubuntu" and branch and not is_contained(container):
        steps: tuple[Run | Ask, ...] = (
            run("ubuntu-drivers", "list"),
            Ask(text=f"Install nvidia-driver-{branch}-open with apt install, if listed; else the newest -open one."),
        )
    else:
        steps = (Ask(text='Install the flavour of the driver with "open" in its name, of the same branch or newer.'),)
    title = f"Install the open kernel modules{place(container)}"
    return (by_hand(title, *steps, needs_root=True, needs_reboot=True),)
