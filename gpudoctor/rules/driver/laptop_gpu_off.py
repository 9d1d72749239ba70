"""DRV024: the NVIDIA GPU is switched off: the machine uses its integrated graphics."""

from gpudoctor.rules._driver_state import discrete, is_loaded
from gpudoctor.rules._situation import is_contained, known, wsl_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, System
from gpudoctor.rules.terms import Ask, Iterator, Problem, Run, by_hand, gpu_seen, problem, rule, run, seen

OPTIRUN = by_hand(
    "Start the program with optirun", "Bumblebee switches the GPU on for one program: optirun python your_program.py"
)


@rule("DRV024", name="laptop-gpu-off", severity="error", when="driver.blacklisted=nvidia")
def laptop_gpu_off(
    gpus: Gpus, driver: Driver, host: System | Gap, container: Container | Gap | None
) -> Iterator[Problem]:
    """The NVIDIA GPU is switched off: the machine uses its integrated graphics.

    What it means:
    Laptops with two GPUs can switch the NVIDIA one off to save power. The driver is then kept from loading.

    Why it breaks:
    A tool such as prime-select put the NVIDIA module on the blacklist, because the mode "integrated" or "intel" was
    chosen; some tools take the GPU off the bus too. Or Bumblebee keeps the GPU off until a program is started with
    optirun; then this is a warning.

    How to fix it:
    Choose the mode "on-demand" or "nvidia" and restart. In on-demand the display stays on the other GPU and CUDA works.
    With Bumblebee, start the program with optirun.

    When to ignore it:
    When you want the battery to last.

    Sources:
    Ubuntu manual page of prime-select; NVIDIA driver README, chapter on PRIME render offload;
    https://github.com/Bumblebee-Project/Bumblebee/issues/944
    """
    found = discrete(gpus)
    hybrid = any(gpu.vendor in ("intel", "amd") for gpu in gpus.devices)
    if not hybrid or is_contained(container) or wsl_of(container):
        return
    if is_loaded(driver) is not False or "nvidia" not in (driver.blacklisted or ()):
        return
    machine = known(host)
    step: Run | Ask = Ask(
        text="Switch with your distribution's tool: envycontrol, optimus-manager, supergfxctl or the like."
    )
    if machine and machine.distribution == "ubuntu":
        step = run("prime-select", "on-demand")
    optirun = any(package.name.startswith("bumblebee") for package in driver.packages or ())
    power = found[0].pci_power_state if found else None
    yield problem(
        "The NVIDIA GPU is switched off: its driver is kept from loading, and integrated graphics are used.",
        gpu_seen(found[0]) if found else seen("NVIDIA GPU", "not on the bus; an integrated mode takes it off"),
        *((seen("bumblebee", "installed"),) if optirun else ()),
        seen("module nvidia", "on the blacklist in modprobe.d"),
        *((seen("power state of the GPU", power),) if power else ()),
        severity="warning" if optirun else None,
        confidence="likely",
        fixes=(
            *((OPTIRUN,) if optirun else ()),
            by_hand("Switch the NVIDIA GPU on", step, needs_root=True, needs_reboot=True),
        ),
    )
