"""DRV021: the driver's memory module stopped working after the machine slept."""

from collections.abc import Iterable

from gpudoctor.rules._driver_state import failed_with, is_loaded
from gpudoctor.rules._situation import is_contained, place, wsl_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, Run, answer_seen, by_hand, problem, rule, seen

#: CUDA_ERROR_UNKNOWN.
UNKNOWN = 999


@rule(
    "DRV021", name="uvm-broken-after-suspend", severity="error", when="driver.cuda_init.code, driver.resumed_since_boot"
)
def uvm_broken_after_suspend(gpus: Gpus, driver: Driver, container: Container | Gap | None) -> Iterator[Problem]:
    """The driver's memory module stopped working after the machine slept.

    What it means:
    After suspend and resume CUDA often fails with "unknown error" (999), while nvidia-smi and the display work. The
    module nvidia_uvm did not survive the sleep.

    Why it breaks:
    A program held GPU memory when the machine went to sleep, and the driver was not set up to keep that memory.

    How to fix it:
    End the programs that use CUDA and reload nvidia_uvm; the display can stay. To prevent it, let the driver keep the
    memory over a sleep: option NVreg_PreserveVideoMemoryAllocations=1 and the services nvidia-suspend and
    nvidia-resume.

    When to ignore it:
    When CUDA programs work again.

    Sources:
    NVIDIA driver README, chapter on power management (preserve all video memory allocations):
    https://download.nvidia.com/XFree86/Linux-x86_64/580.65.06/README/powermanagement.html
    """
    if not gpus.nvidia or wsl_of(container) or not driver.resumed_since_boot:
        return
    if not failed_with(driver.cuda_init, UNKNOWN) or is_loaded(driver, "nvidia_uvm") is False:
        return
    if driver.nvml is not None and not driver.nvml.ok:
        return
    evidence = [answer_seen("The CUDA driver (cuInit)", driver.cuda_init), seen("slept since it was started", "yes")]
    if driver.suspend_services is not None:
        evidence.append(seen("services nvidia-suspend, nvidia-resume", "on" if driver.suspend_services else "off"))
    end = Ask(text="End every program that uses CUDA, containers too.")
    reload = (("modprobe", "-r", "nvidia_uvm"), ("modprobe", "nvidia_uvm"))
    lasting = Ask(
        text="Set NVreg_PreserveVideoMemoryAllocations=1 for nvidia in /etc/modprobe.d, then enable its services:"
    )
    services = (("systemctl", "enable", "nvidia-suspend", "nvidia-resume", "nvidia-hibernate"),)
    yield problem(
        "CUDA has failed with an unknown error since the machine slept.",
        *tuple(evidence),
        confidence="likely",
        fixes=(
            by_hand(
                f"Reload the module nvidia_uvm{place(container)}", end, *_there(reload, container), needs_root=True
            ),
            by_hand(
                f"Keep GPU memory over a sleep{place(container)}",
                lasting,
                *_there(services, container),
                needs_root=True,
                needs_reboot=True,
            ),
        ),
    )


def _there(commands: Iterable[tuple[str, ...]], container: Container | Gap | None) -> tuple[Run | Ask, ...]:
    """The commands, to be typed on the host where this is a container."""
    if is_contained(container):
        return tuple(Ask(text=f"On the host, run: {' '.join(command)}") for command in commands)
    return tuple(Run(argv=command) for command in commands)
