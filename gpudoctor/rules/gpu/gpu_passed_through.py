"""GPU016: a GPU is reserved for a virtual machine."""

from gpudoctor.rules._driver_state import meant_for_us
from gpudoctor.rules.sections import Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, gpu_seen, problem, rule


@rule(
    "GPU016", name="gpu-passed-through", severity="info", when="gpus.nvidia.bound_driver=vfio-pci|pci-stub|xen-pciback"
)
def gpu_passed_through(gpus: Gpus) -> Iterator[Problem]:
    """A GPU is reserved for a virtual machine, so programs on this system cannot use it."""
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
