"""GPU018: a slot with fewer lanes than the card."""

from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Gap, Gpus, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: Lanes of a slot that was made for a disk or a network card. Eight are usual for a second graphics card.
NARROW = 4


@rule("GPU018", name="pcie-width-low", severity="warning", when="gpus.devices.has_details")
def pcie_width_low(gpus: Gpus, host: System | Gap | None) -> Iterator[Problem]:
    """A GPU is in a slot with far fewer PCIe lanes than the card supports."""
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
