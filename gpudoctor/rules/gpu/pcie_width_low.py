"""GPU018: a GPU is in a slot with far fewer PCIe lanes than the card supports."""

from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Gap, Gpus, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: Lanes of a slot that was made for a disk or a network card. Eight are usual for a second graphics card.
NARROW = 4


@rule("GPU018", name="pcie-width-low", severity="warning", when="gpus.devices.pcie.port_width_max")
def pcie_width_low(gpus: Gpus, host: System | Gap | None) -> Iterator[Problem]:
    """A GPU is in a slot with far fewer PCIe lanes than the card supports.

    What it means:
    Data goes to the GPU over PCIe lanes. The card has more of them than the slot it is in, so copying to and from it
    takes several times as long. Calculations on the GPU itself are not slower.

    Why it breaks:
    Boards often have one slot with 16 lanes and others that look alike but have 4 or 1. Mining risers have 1.

    How to fix it:
    With the power off, put the card into the slot nearest to the processor. The board's manual names the lanes.

    When to ignore it:
    When all data fits on the GPU, or the GPU is connected through Thunderbolt, which has 4 lanes at most.

    Sources:
    Linux kernel documentation, sysfs-bus-pci, max_link_width
    """
    machine = known(host)
    # A virtual machine's ports say nothing of the real slot.
    if machine is None or machine.virtualization != "none":
        return
    # Laptops and external cases have what they have; nobody can change the slot there.
    integrated = any(gpu.vendor in ("intel", "amd") for gpu in gpus.devices)
    for gpu in gpus.nvidia:
        link = gpu.pcie
        if link is None or link.port_width_max is None or link.device_width_max is None:
            continue
        if link.port_width_max > NARROW or link.device_width_max <= link.port_width_max:
            continue
        text = "With the power off, put the card into a slot with 16 or 8 lanes; the board's manual names them."
        yield problem(
            f"This GPU has {link.device_width_max} PCIe lanes, but its slot only {link.port_width_max}.",
            seen("PCIe lanes of the GPU", link.device_width_max),
            seen("PCIe lanes of the port above it", link.port_width_max),
            subject=gpu.label,
            severity="info" if integrated else None,
            fix=by_hand("Use another slot", text, needs_reboot=True),
        )
