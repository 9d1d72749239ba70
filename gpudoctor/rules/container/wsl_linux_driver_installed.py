"""BOX010: a Linux NVIDIA driver is installed inside WSL, which must use the Windows driver."""

import re

from gpudoctor.rules._driver_state import CUDA_LIBRARY
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Container, Driver, Gap, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, Run, by_hand, problem, rule, run, seen

#: Packages of the Linux driver; the toolkit's packages (cuda-toolkit-12-8 …) are fine in WSL.
LINUX_DRIVER = (
    r"(libnvidia-(compute|gl|decode|encode|extra|cfg1|common|fbc1|ml)[-0-9].*|nvidia-(utils|driver|dkms|compute-utils|kernel)"
    r"-.*|nvidia-driver|nvidia-utils|cuda-drivers.*|libcuda1|libnvidia-ml1|xserver-xorg-video-nvidia.*)"
)
WSL_LIBRARIES = "/usr/lib/wsl/"


@rule("BOX010", name="wsl-linux-driver-installed", severity="error")
def wsl_linux_driver_installed(driver: Driver, container: Container, host: System | Gap) -> Iterator[Problem]:
    """A Linux NVIDIA driver is installed inside WSL, which must use the Windows driver.

    What it means:
    In WSL the GPU is served by the driver of Windows; its libraries lie in /usr/lib/wsl/lib. A Linux driver that is
    installed beside them hides them, and it has no kernel module to talk to.

    Why it breaks:
    The package "cuda" of NVIDIA's repository for Ubuntu, or a search for a solution, brought nvidia-utils,
    libnvidia-compute or cuda-drivers along.

    How to fix it:
    Remove these packages. For a toolkit inside WSL, use NVIDIA's repository named wsl-ubuntu and the package
    cuda-toolkit, never cuda or cuda-drivers.

    When to ignore it:
    When CUDA works: then the copies of Windows are found first.

    Sources:
    CUDA on WSL user guide, https://docs.nvidia.com/cuda/wsl-user-guide/
    """
    wsl = container.wsl
    if wsl is None or wsl.version != 2 or _works(driver):
        return
    packages = [package for package in driver.packages or () if re.fullmatch(LINUX_DRIVER, package.name)]
    first = driver.library(CUDA_LIBRARY)
    # A container is given them in its own folders, as links.
    own = first is not None and (first.real_path or first.path).startswith(WSL_LIBRARIES)
    foreign = container.kind == "none" and first is not None and not own and not first.stub
    if not packages and not foreign:
        return
    yield problem(
        "A Linux NVIDIA driver is installed inside WSL; it hides the Windows driver, which WSL must use.",
        *(seen(package.name, package.version) for package in packages[:4]),
        *((seen("libcuda found first", first.path),) if foreign and first else ()),
        confidence="certain" if packages else "likely",
        fixes=_fixes(host, [package.name for package in packages]),
    )


def _works(driver: Driver) -> bool:
    """The CUDA driver starts, and NVML does not say otherwise."""
    return bool(driver.cuda_init and driver.cuda_init.ok) and (driver.nvml is None or driver.nvml.ok)


def _fixes(host: System | Gap, names: list[str]) -> tuple[Fix, ...]:
    machine = known(host)
    family = {machine.distribution, *machine.distribution_like} if machine else set()
    if names and family & {"debian", "ubuntu"}:
        steps: tuple[Run | Ask, ...] = (run("apt", "purge", *sorted(names)), run("ldconfig"))
    else:
        steps = (Ask(text="Remove the Linux NVIDIA driver from this WSL distribution, then run ldconfig."),)
    restart = Ask(text="In Windows, run: wsl --shutdown, and open WSL again.")
    return (by_hand("Remove the Linux driver", *steps, restart, needs_root=True),)
