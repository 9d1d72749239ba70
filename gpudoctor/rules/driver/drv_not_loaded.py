"""DRV006: the NVIDIA kernel module is not loaded."""

from gpudoctor.rules._driver_fixes import install_driver
from gpudoctor.rules._driver_state import brings_kernel_module, discrete, is_installed, is_loaded, log_lines, module_for
from gpudoctor.rules._situation import is_contained, kernel_of, os_of, place, wsl_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, Scene
from gpudoctor.rules.terms import (
    Ask,
    Evidence,
    Fix,
    Iterator,
    Problem,
    answer_seen,
    by_hand,
    gpu_seen,
    log_seen,
    problem,
    rule,
    run,
    seen,
)

HALF = "Only the libraries of an NVIDIA driver are installed; its kernel module is missing."


@rule(
    "DRV006",
    name="drv-not-loaded",
    severity="error",
    when="gpus.nvidia, not driver.module_release, known driver.modules_loaded",
)
def drv_not_loaded(gpus: Gpus, driver: Driver, scene: Scene) -> Iterator[Problem]:
    """The NVIDIA kernel module is not loaded.

    What it means:
    The driver is there, but its part in the kernel does not run. nvidia-smi says that it "couldn't communicate with
    the NVIDIA driver".

    Why it breaks:
    The module was just installed and the machine not restarted, or the module is on the blacklist, or loading it
    failed; the kernel log then says why.

    How to fix it:
    Load it with modprobe nvidia and read what it answers. If it says nothing, restart once. If it fails, the last
    lines of dmesg name the reason.

    When to ignore it:
    On a laptop whose NVIDIA GPU you have switched off on purpose.

    Sources:
    modprobe(8); NVML API reference, NVML_ERROR_DRIVER_NOT_LOADED, https://docs.nvidia.com/deploy/nvml-api/
    """
    found = discrete(gpus)
    if not found or wsl_of(scene.container) or os_of(scene.host) == "windows" or is_loaded(driver) is not False:
        return
    installed = is_installed(driver)
    if not is_contained(scene.container) and installed is False:
        return
    lines = log_lines(driver, "NVRM", "nvidia:")
    kernel = kernel_of(scene.host)
    nothing_built = driver.module_files == () and not brings_kernel_module(driver)
    halved = nothing_built and not is_contained(scene.container)
    yield problem(
        HALF if halved else f"The NVIDIA kernel module is not loaded{place(scene.container)}.",
        gpu_seen(found[0]),
        seen("loaded kernel modules", ", ".join(driver.modules_loaded or ()) or "none of NVIDIA"),
        *_file(driver, kernel),
        *((answer_seen("NVML", driver.nvml),) if driver.nvml else ()),
        *log_seen(lines),
        fixes=install_driver(scene) if halved else _fixes(driver, scene.container),
    )


def _file(driver: Driver, kernel: str | None) -> Iterator[Evidence]:
    file = module_for(driver, kernel)
    if file:
        yield seen("module file for this kernel", f"{file.release or 'present'} ({file.path})")
    if "nvidia" in (driver.blacklisted or ()):
        yield seen("module nvidia", "on the blacklist in modprobe.d")


def _fixes(driver: Driver, container: Container | Gap | None) -> tuple[Fix, ...]:
    if is_contained(container):
        text = "Install or load the NVIDIA driver on the host, then start the container again."
        return (by_hand("Repair the host's driver", text, needs_root=True),)
    blacklisted = "nvidia" in (driver.blacklisted or ())
    first = (Ask(text="Remove the blacklist line for nvidia from /etc/modprobe.d."),) if blacklisted else ()
    load = by_hand(
        "Load the kernel module and read what it answers", *first, run("modprobe", "nvidia"), needs_root=True
    )
    why = by_hand("If it fails, the kernel log says why", run("dmesg", "--level", "err,warn"), needs_root=True)
    return (load, why)
