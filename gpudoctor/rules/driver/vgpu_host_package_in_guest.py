"""DRV032: the vGPU package of the hypervisor is installed in a virtual machine."""

from gpudoctor.rules._driver_state import CUDA_LIBRARY
from gpudoctor.rules._situation import is_virtual
from gpudoctor.rules.sections import Driver, Gpus, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

_MODULE = "nvidia_vgpu_vfio"


@rule(
    "DRV032",
    name="vgpu-host-package-in-guest",
    severity="error",
    needs=("driver.libraries",),
    when="driver.modules_loaded=nvidia_vgpu_vfio",
)
def vgpu_host_package_in_guest(gpus: Gpus, driver: Driver, host: System) -> Iterator[Problem]:
    """The vGPU package of the hypervisor is installed in a virtual machine.

    What it means:
    NVIDIA's vGPU software has two drivers: the vGPU Manager (vgpu-kvm) for the hypervisor, and the guest driver (grid)
    for the machines on it. This is a virtual machine, and it has the first: its kernel module nvidia_vgpu_vfio is
    loaded, and libcuda is not there.

    Why it breaks:
    The vGPU Manager deals GPUs out and brings no CUDA. nvidia-smi works and shows no CUDA version; every CUDA program
    ends with "CUDA driver version is insufficient" or finds no driver.

    How to fix it:
    Remove it, and install the guest driver of the same vGPU release.

    When to ignore it:
    If this machine is itself a hypervisor that gives GPUs to machines inside it.

    Sources:
    https://docs.nvidia.com/vgpu/latest/grid-vgpu-user-guide/index.html
    """
    if not gpus.nvidia or not is_virtual(host) or _MODULE not in (driver.modules_loaded or ()):
        return
    if driver.libraries is None or driver.library(CUDA_LIBRARY) is not None:
        return
    release = f" {driver.release}" if driver.release else ""
    text = f"Remove the package (nvidia-uninstall, or with the package manager), and install the guest driver{release}"
    yield problem(
        "This virtual machine has the vGPU driver of hypervisors, which has no CUDA, and not the guest driver.",
        seen("loaded kernel module", _MODULE),
        seen(CUDA_LIBRARY, "not installed"),
        seen("virtual machine", host.virtualization or "yes"),
        subject="driver",
        fix=by_hand(
            "Install the vGPU guest driver",
            f"{text} (NVIDIA-Linux-x86_64-RELEASE-grid.run) of the same vGPU release.",
            needs_root=True,
            needs_reboot=True,
        ),
    )
