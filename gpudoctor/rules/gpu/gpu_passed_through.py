"""GPU016: a GPU is reserved for a virtual machine, so programs on this system cannot use it."""

from gpudoctor.rules._driver_state import meant_for_us
from gpudoctor.rules.sections import Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, gpu_seen, problem, rule


@rule(
    "GPU016", name="gpu-passed-through", severity="info", when="gpus.nvidia.bound_driver=vfio-pci|pci-stub|xen-pciback"
)
def gpu_passed_through(gpus: Gpus) -> Iterator[Problem]:
    """A GPU is reserved for a virtual machine, so programs on this system cannot use it.

    What it means:
    The driver vfio-pci holds the card, so that a virtual machine can have it for itself.

    Why it breaks:
    Passing a GPU through to a virtual machine takes it away from the host.

    How to fix it:
    Run gpudoctor inside that virtual machine. To use the GPU here, take it out of the vfio-pci settings and restart.

    When to ignore it:
    When the GPU is meant for the virtual machine.

    Sources:
    Linux kernel documentation, VFIO, https://docs.kernel.org/driver-api/vfio.html
    """
    ours = meant_for_us(gpus)
    for gpu in gpus.nvidia:
        if gpu in ours:
            continue
        text = "Take the card's id out of the vfio-pci options in /etc/modprobe.d and on the kernel command line."
        yield problem(
            "This GPU is reserved for a virtual machine, so programs on this system cannot use it.",
            gpu_seen(gpu),
            subject=gpu.label,
            severity="info" if ours else "error",
            fix=by_hand("To use it here, give it back to the nvidia driver", text, needs_root=True, needs_reboot=True),
        )
