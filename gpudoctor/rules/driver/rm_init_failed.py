"""DRV012: the driver is loaded, but could not initialise this GPU."""

from gpudoctor.facts.driver import KernelLine
from gpudoctor.rules._driver_fixes import REBOOT
from gpudoctor.rules._driver_state import NO_ADDRESS, denied_nodes, failed_with, is_loaded, log_lines, of_gpu, unlisted
from gpudoctor.rules._situation import may_hide_gpus, wsl_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpu, Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, answer_seen, by_hand, gpu_seen, log_seen, problem, rule, seen

#: NVML_SUCCESS with fewer GPUs than the bus has; NOT_FOUND, GPU_NOT_FOUND, UNKNOWN without any.
NO_GPU_FOUND = (6, 28, 999)
#: What does not follow where other GPUs work.
_UNHARMED = ("cuda-init-failed", "drv-not-loaded", "nvml-library-missing")
_SUMMARY = "The driver is loaded but could not initialise this GPU."


@rule("DRV012", name="rm-init-failed", severity="error", when="gpus.nvidia.is_listed=False")
def rm_init_failed(gpus: Gpus, driver: Driver, container: Container | Gap | None) -> Iterator[Problem]:
    """The driver is loaded, but could not initialise this GPU.

    What it means:
    The card is on the PCI bus and the driver runs, but nvidia-smi does not list the card: "No devices were found". The
    kernel log then mostly has a line with RmInitAdapter, or says that a region of the card (BAR) has no place in the
    address space. Where that is the only card, the driver's module does not stay loaded either.

    Why it breaks:
    Firmware settings (large cards need Above 4G Decoding and Resizable BAR), a bad seat or power cable, a driver that
    is too old for the card, the wrong flavour of kernel module, or too little address space in a virtual machine.

    How to fix it:
    Read the RmInitAdapter line. Switch Above 4G Decoding and Resizable BAR on in the firmware setup, update firmware
    and driver, and check seat and cables with the power off.

    When to ignore it:
    When this GPU was taken out of use on purpose.

    Sources:
    Public reports of RmInitAdapter failures, https://github.com/NVIDIA/open-gpu-kernel-modules/issues
    """
    if wsl_of(container):
        return
    homeless = log_lines(driver, *NO_ADDRESS)
    if is_loaded(driver) is False and homeless:
        for gpu in unlisted(gpus):
            if of_gpu(homeless, gpu) or len(gpus.nvidia) == 1:
                yield _problem(
                    gpu, gpus, driver, homeless, "The firmware (BIOS) assigned this GPU no memory addresses."
                )
        return
    if is_loaded(driver) is not True or driver.nvml is None:
        return
    if not (driver.nvml.ok or failed_with(driver.nvml, *NO_GPU_FOUND)):
        return
    lines = (*log_lines(driver, "RmInitAdapter", "rm_init_adapter", "adapter initialization failed"), *homeless)
    for gpu in unlisted(gpus):
        own = of_gpu(lines, gpu) or (lines if len(gpus.nvidia) == 1 else ())
        if own or _should_be_listed(gpu, driver, container):
            yield _problem(gpu, gpus, driver, own)


def _should_be_listed(gpu: Gpu, driver: Driver, container: Container | Gap | None) -> bool:
    """A container or a job may have been given other GPUs; a GPU that no driver holds is another rule's.

    Nor does NVML list one whose device file it may not open.
    """
    answered = driver.nvml is not None and driver.nvml.ok and not denied_nodes(driver)
    return answered and gpu.bound_driver in (None, "nvidia") and not may_hide_gpus(container)


def _problem(gpu: Gpu, gpus: Gpus, driver: Driver, lines: tuple[KernelLine, ...], summary: str = _SUMMARY) -> Problem:
    listed = sum(one.is_listed for one in gpus.nvidia)
    setup = Ask(text="In the firmware (BIOS) setup, switch on Above 4G Decoding and Resizable BAR.")
    cables = Ask(text="With the power off, reseat the card and its power cables; try another slot.")
    return problem(
        summary,
        gpu_seen(gpu),
        seen("GPUs that NVML lists", f"{listed} of {len(gpus.nvidia)}"),
        answer_seen("NVML", driver.nvml),
        *((seen("kernel module", driver.module_flavour),) if driver.module_flavour else ()),
        *log_seen(lines),
        subject=gpu.label,
        confidence="certain" if lines else "likely",
        not_leading_to=(*(_UNHARMED if listed else ()), *(() if gpu.refusals else ("gpu-unreadable",))),
        fixes=(REBOOT, by_hand("Check firmware settings and seat", setup, cables, needs_reboot=True)),
    )
