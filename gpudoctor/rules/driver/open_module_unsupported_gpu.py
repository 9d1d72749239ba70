"""DRV016: the GPU is too old for NVIDIA's open kernel modules, which are installed."""

from gpudoctor.rules._driver_state import architecture_of, log_lines, of_gpu, unlisted
from gpudoctor.rules._situation import place
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, Matrix
from gpudoctor.rules.terms import Iterator, Problem, by_hand, gpu_seen, log_seen, problem, rule, seen


@rule("DRV016", name="open-module-unsupported-gpu", severity="error", when="gpus.nvidia.is_listed=False")
def open_module_unsupported_gpu(
    gpus: Gpus, driver: Driver, container: Container | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """The GPU is too old for NVIDIA's open kernel modules, which are installed.

    What it means:
    NVIDIA's driver comes with two flavours of kernel module. The open one needs a part of the GPU (the GSP) that exists
    from Turing on. Maxwell, Pascal and Volta cards need the proprietary one.

    Why it breaks:
    The open flavour has become the default of NVIDIA's installer and of several distributions.

    How to fix it:
    Install the proprietary flavour. For these cards that also means branch 580 or older.

    When to ignore it:
    When another GPU in this machine does the computing.

    Sources:
    NVIDIA driver installation guide, chapter on kernel modules,
    https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/
    """
    for gpu in unlisted(gpus):
        architecture = architecture_of(gpu, matrix)
        lines = log_lines(driver, "GPU System Processor", "not supported by open")
        said = of_gpu(lines, gpu) or tuple(line for line in lines if line.pci_bus_id is None)
        # A module that serves no GPU does not stay loaded; then only the kernel log tells which one it was.
        if driver.module_flavour != "open" and not (said and driver.module_flavour is None):
            continue
        # The kernel's own word does for a model that the matrix does not know.
        if (architecture.kernel_module != "proprietary") if architecture else not of_gpu(said, gpu):
            continue
        kind = f"{architecture.name} GPU" if architecture else "GPU"
        last = f", branch {architecture.last_branch} or older" if architecture and architecture.last_branch else ""
        text = f"Install the driver with the proprietary kernel modules{last}, and hold its packages."
        yield problem(
            f"This {kind} is too old for the open kernel modules, which are loaded.",
            gpu_seen(gpu),
            seen("kernel module", f"open, release {driver.module_release or 'not known'}"),
            *log_seen(said),
            subject=gpu.label,
            fix=by_hand(
                f"Install the proprietary kernel modules{place(container)}", text, needs_root=True, needs_reboot=True
            ),
        )
